import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../support/project.ts';

/** Who imports whom. */
type Graph = ReadonlyMap<string, readonly string[]>;

/** Types and what is loaded later are left out: neither decides in which order files can be read or run. */
const IMPORT = /^(?:import|export)\s+(?!type\s)(?:[^;'"]*?\sfrom\s+)?'(\.[^']+)'/gm;
const ONLY_TYPES = /^import\s+\{(?:\s*type\s+[^,}]+,?)+\s*\}\s+from/;

const importsOf = (file: string, text: string) =>
  [...text.matchAll(IMPORT)]
    .filter(([whole]) => !ONLY_TYPES.test(whole))
    .map(([, path = '']) => join(dirname(file), path));

function filesOf(folder: string): Graph {
  const names = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' });
  const files = names.filter((name) => /\.tsx?$/.test(name)).map((name) => join(folder, name));
  return new Map(files.map((file) => [file, importsOf(file, readFileSync(join(ROOT, file), 'utf8'))]));
}

/** The folders of one folder: `src/policy/load` and `src/policy/profile`, each with all that lies below it. */
function foldersOf(files: Graph, within: string): Graph {
  const folderOf = (file: string) => {
    const [first, ...rest] = relative(within, file).split('/');
    return rest.length === 0 || first === '..' ? undefined : join(within, first as string);
  };
  const edges = [...files].flatMap(([file, found]) => found.map((path) => [folderOf(file), folderOf(path)] as const));
  const all = [...new Set(edges.flatMap(([from]) => from ?? []))];
  return new Map(
    all.map((from) => [
      from,
      edges.flatMap(([one, to]) => (one === from && to !== from && to !== undefined ? to : [])),
    ]),
  );
}

/** A way from a node back to itself, if there is any. */
function cycleIn(graph: Graph): readonly string[] | undefined {
  const done = new Set<string>();
  const search = (node: string, way: readonly string[]): readonly string[] | undefined => {
    if (way.includes(node)) return [...way.slice(way.indexOf(node)), node];
    if (done.has(node)) return undefined;
    for (const next of graph.get(node) ?? []) {
      const found = search(next, [...way, node]);
      if (found !== undefined) return found;
    }
    done.add(node);
    return undefined;
  };
  for (const node of graph.keys()) {
    const found = search(node, []);
    if (found !== undefined) return found;
  }
  return undefined;
}

const SOURCES: Graph = new Map([...filesOf('src'), ...filesOf('prove')]);

test('no file imports itself by way of others', () => {
  expect(SOURCES.size).toBeGreaterThan(300);
  expect([...SOURCES.values()].flat().filter((path) => !SOURCES.has(path))).toEqual([]);
  expect(cycleIn(SOURCES)).toBeUndefined();
});

const PARENTS = new Set(
  [...SOURCES.keys()].map((file) => dirname(file)).flatMap((folder) => [folder, dirname(folder)]),
);

test.each([...PARENTS].toSorted())('the folders of %s import each other one way only', (folder) => {
  expect(cycleIn(foldersOf(SOURCES, folder))).toBeUndefined();
});

test('a cycle would be found, between files and between folders', () => {
  const text = "import { b } from '../b/b.ts';\nimport type { c } from './c.ts';\nimport { type d } from './d.ts';\n";
  expect(importsOf('src/a/a.ts', `${text}export { e } from './e.ts';\n`)).toEqual(['src/b/b.ts', 'src/a/e.ts']);
  const files: Graph = new Map([
    ['src/a/a.ts', ['src/b/b.ts']],
    ['src/b/b.ts', ['src/b/c.ts']],
    ['src/b/c.ts', ['src/a/d.ts']],
    ['src/a/d.ts', []],
  ]);
  expect(cycleIn(files)).toBeUndefined();
  expect(cycleIn(foldersOf(files, 'src'))).toEqual(['src/a', 'src/b', 'src/a']);
  expect(cycleIn(new Map([...files, ['src/a/d.ts', ['src/a/a.ts']]]))).toHaveLength(5);
});
