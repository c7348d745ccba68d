import { build } from 'esbuild';
import { beforeAll, describe, expect, test } from 'vitest';
import { ROOT } from '../support/project.ts';

/** Who imports whom, as the bundler sees it: every module of src and what it imports, types aside. */
let imports: ReadonlyMap<string, readonly string[]>;

beforeAll(async () => {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: ['src/cli/main.ts', 'src/index.ts', 'src/agents/renderer.ts'],
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'esm',
    outdir: 'unused',
    splitting: true,
    packages: 'external',
    logLevel: 'error',
  });
  imports = new Map(
    Object.entries(metafile.inputs).map(([file, input]) => [file, input.imports.map(({ path }) => path)]),
  );
});

const importersOf = (...paths: string[]) =>
  [...imports]
    .filter(([, found]) => found.some((path) => paths.includes(path)))
    .map(([file]) => file)
    .toSorted();

const STARTERS = [
  'src/launch/launch.ts',
  'src/launch/hand-over.ts',
  'src/launch/launch-redacted.ts',
  'src/launch/run-helper.ts',
];

describe('there is no way to start an agent around the one path', () => {
  test('only src/launch can start a process at all, and what starts the stand-ins of prove', () => {
    const found = importersOf('node:child_process', 'child_process', 'node:cluster', 'node:worker_threads');
    expect(found.length).toBeGreaterThan(2);
    expect(found.filter((file) => !file.startsWith('src/launch/'))).toEqual(['prove/helper.ts']);
    const prove = [...imports.keys()].filter((file) => file.startsWith('prove/'));
    expect(prove.length).toBeGreaterThan(100);
    const others = importersOf(...prove).filter((file) => !file.startsWith('prove/'));
    expect(others.filter((file) => !file.startsWith('src/cli/prove/'))).toEqual([]);
  });

  test('of all that knows agents, only spawn.ts can start something', () => {
    const agents = [...imports.keys()].filter((file) => file.startsWith('src/agents/'));
    expect(agents.length).toBeGreaterThan(30);
    expect(importersOf(...STARTERS).filter((file) => agents.includes(file))).toEqual(['src/agents/spawn.ts']);
  });

  test('adapters are data: they import nothing but the words they are written in', () => {
    const adapters = [...imports].filter(([file]) => file.startsWith('src/agents/adapters/'));
    expect(adapters).toHaveLength(12);
    const allowed = ['src/agents/adapter.ts', 'src/agents/adapters/claude.ts'];
    expect(adapters.flatMap(([, found]) => found).filter((path) => !allowed.includes(path))).toEqual([]);
  });

  test('whoever builds an agent’s command line cannot start one, spawn.ts aside', () => {
    const builders = importersOf('src/agents/command.ts', 'src/agents/registry.ts', 'src/agents/template.ts');
    expect(builders).toContain('src/agents/spawn.ts');
    const starters = new Set(importersOf(...STARTERS));
    expect(builders.filter((file) => starters.has(file))).toEqual(['src/agents/spawn.ts']);
  });
});
