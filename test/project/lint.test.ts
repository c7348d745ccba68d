import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const BIOME = join(ROOT, 'node_modules', '.bin', 'biome');

interface Diagnostic {
  readonly category: string;
  readonly severity: string;
  readonly message: string;
  readonly location: { readonly path: string };
}

const cases: { readonly path: string; readonly content: string }[] = [];
let diagnostics: Diagnostic[];

/** Registers a file with this content in this folder; call the result in a test for what our own rules say of it. */
function inspected(folder: string, content: string): () => string[] {
  const path = `${folder}/case${cases.length}.ts`;
  cases.push({ path, content });
  return () =>
    diagnostics
      .filter(({ category, location }) => category === 'plugin' && location.path === path)
      .map(({ severity, message }) => `${severity}: ${message}`);
}

// A project of its own with our configuration, so that a violation never stands in the real tree; one run for all cases.
beforeAll(() => {
  const folder = mkdtempSync(join(tmpdir(), 'cordon-lint-'));
  cpSync(join(ROOT, 'lint'), join(folder, 'lint'), { recursive: true });
  const config = JSON.parse(readFileSync(join(ROOT, 'biome.json'), 'utf8'));
  writeFileSync(join(folder, 'biome.json'), JSON.stringify({ ...config, vcs: { enabled: false } }));
  for (const { path, content } of cases) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  const { stdout } = spawnSync(BIOME, ['lint', '--reporter=json', '--max-diagnostics=none', 'src', 'prove'], {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 64 << 20,
  });
  rmSync(folder, { recursive: true });
  diagnostics = JSON.parse(stdout).diagnostics;
});

const READER = /^error: Only src\/host reads the parent's environment/;
const LAUNCHER = /^error: Only src\/launch starts processes/;
const DIRECTION = /^error: The folders of src go one way/;
const PURE = /^error: Deciding, sealing and planning read nothing/;
const APART = /^error: prove\/ and src\/ stand side by side/;

describe('one place reads the environment', () => {
  const readers = [
    'export const all = process.env;',
    "export const path = process.env['PATH'];",
    "process.env['PATH'] = '';",
    'process.env = {};',
    'export const all = process?.env;',
    "export const all = process['env'];",
    "export const all = process['e' + 'nv'];",
    'export const { env } = process;',
    'export const other = process;',
    'export const holder = { process };',
    'export const all = (process as { env: object }).env;',
    'export const all = globalThis.process;',
    'export const all = global.process.env;',
    "import { env } from 'node:process';\nexport const all = env;",
    "import own from 'process';\nexport const all = own;",
    "export * from 'node:process';",
    "export const own = await import('node:process');",
    "import { readFileSync } from 'node:fs';\nexport const all = readFileSync('/proc/self/environ');",
  ];

  for (const content of readers) {
    for (const place of ['src/policy', 'src/launch', 'src/cli/commands', 'src', 'prove']) {
      const found = inspected(place, content);
      test(`${place} may not have ${JSON.stringify(content)}`, () => {
        expect(found()).toContainEqual(expect.stringMatching(READER));
      });
    }
    const found = inspected('src/host', content);
    test(`src/host may have ${JSON.stringify(content)}`, () => {
      expect(found()).not.toContainEqual(expect.stringMatching(READER));
    });
  }

  const harmless = inspected('src/cli', 'process.stdout.write(process.argv.join());\nprocess.exitCode = 1;');
  test('the rest of process may be used', () => expect(harmless()).toEqual([]));
});

describe('one place starts processes', () => {
  const starters = [
    "import { spawn } from 'node:child_process';\nexport { spawn };",
    "import * as all from 'child_process';\nexport { all };",
    "export { spawn } from 'node:child_process';",
    "export const all = await import('node:child_process');",
    "export const all = await import('child_' + 'process');",
    'export const load = (name: string) => import(name);',
    'export const all = await import(`node:child_process`);',
    "import all = require('node:child_process');\nexport { all };",
    "export const all = require('node:child_process');",
    "import { Worker } from 'node:worker_threads';\nexport { Worker };",
    "import cluster from 'node:cluster';\nexport { cluster };",
    "import { createRequire } from 'node:module';\nexport { createRequire };",
    "export const all = process.getBuiltinModule('node:child_process');",
    "export const all = process.getBuiltinModule('node:' + name);",
    "export const all = eval('1');",
    "export const all = new Function('return 1');",
  ];

  for (const content of starters) {
    for (const place of ['src/host', 'src/plan', 'src/agents', 'src', 'prove/probes']) {
      const found = inspected(place, content);
      test(`${place} may not have ${JSON.stringify(content)}`, () => {
        expect(found()).toContainEqual(expect.stringMatching(LAUNCHER));
      });
    }
    const found = inspected('src/launch', content);
    test(`src/launch may have ${JSON.stringify(content)}`, () => {
      expect(found()).not.toContainEqual(expect.stringMatching(LAUNCHER));
    });
  }

  const lazy = inspected('src/cli', "export const run = () => import('./commands/run.ts');");
  test('a part may be loaded lazily by its name', () => expect(lazy()).toEqual([]));
});

describe('the direction of the folders', () => {
  const stages = ['host', 'policy', 'decide', 'secrets', 'seal', 'plan', 'launch'];
  const users = ['agents', 'tools', 'sessions', 'mcp', 'check', 'cli'];
  const allowedNeighbours = new Set(['mcp → sessions', 'check → agents', 'check → tools']);

  const mayImport = (from: string, to: string): boolean => {
    if (from === to || from === 'cli' || allowedNeighbours.has(`${from} → ${to}`)) return true;
    return stages.includes(to) && (!stages.includes(from) || stages.indexOf(to) < stages.indexOf(from));
  };

  for (const from of [...stages, ...users])
    for (const to of [...stages, ...users]) {
      const found = inspected(`src/${from}`, `import '../${to}/y.ts';`);
      const expected = mayImport(from, to) ? [] : [expect.stringMatching(DIRECTION)];
      test(`${from} ${mayImport(from, to) ? 'may' : 'may not'} import ${to}`, () => expect(found()).toEqual(expected));
    }

  for (const from of stages)
    for (const to of ['changes', 'explain', 'exchange']) {
      const found = inspected(`src/${from}`, `import '../${to}/y.ts';`);
      test(`${from} may not import ${to}`, () => expect(found()).toEqual([expect.stringMatching(DIRECTION)]));
    }

  for (const content of [
    "import type { Y } from '../launch/y.ts';\nexport type { Y };",
    "export * from '../launch/y.ts';",
    "export const y = await import('../launch/y.ts');",
    "export type Y = import('../launch/y.ts').Y;",
    "import '../../src/launch/y.ts';",
    "import '../index.ts';",
    "import 'cordon';",
  ]) {
    const found = inspected('src/policy', content);
    test(`holds for ${JSON.stringify(content)}`, () => expect(found()).toEqual([expect.stringMatching(DIRECTION)]));
  }

  const deeper = inspected('src/policy/presets', "import '../../launch/y.ts';");
  test('holds in folders further down', () => expect(deeper()).toEqual([expect.stringMatching(DIRECTION)]));

  test('knows every folder there is', () => {
    const folders = readdirSync(join(ROOT, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
    const rule = readFileSync(join(ROOT, 'lint', 'direction.grit'), 'utf8');
    for (const { name } of folders) expect(rule).toMatch(new RegExp(`\\b${name}\\b`));
  });
});

describe('stages that read nothing', () => {
  const imports = [
    "import { readFileSync } from 'node:fs';\nreadFileSync('/x');",
    "export const y = await import('node:fs/promises');",
    "import '../host/files.ts';",
    "import '../../host/whole-file.ts';",
  ];
  for (const content of imports) {
    for (const stage of ['decide', 'seal', 'plan', 'plan/places']) {
      const found = inspected(`src/${stage}`, content);
      test(`${stage} may not have ${JSON.stringify(content)}`, () =>
        expect(found()).toEqual([expect.stringMatching(PURE)]));
    }
    const elsewhere = inspected('src/launch', content);
    test(`launch may have ${JSON.stringify(content)}`, () => expect(elsewhere()).toEqual([]));
  }
  const folders = inspected('src/plan', "import '../host/folders.ts';");
  test('they may use what only knows names', () => expect(folders()).toEqual([]));
});

describe('prove beside src', () => {
  const cases: readonly (readonly [string, string, boolean])[] = [
    ['prove', "import '../src/host/bytes.ts';", false],
    ['prove', "import '../src/index.ts';", false],
    ['prove', "import 'cordon';", false],
    ['prove/probes/files', "import '../../../src/host/bytes.ts';", false],
    ['prove', "export * from '../src/host/bytes.ts';", false],
    ['prove', "export const y = await import('../src/host/bytes.ts');", false],
    ['prove', "export type Y = import('../src/host/bytes.ts').Y;", false],
    ['prove', "import './probe.ts';", true],
    ['prove/probes/files', "import '../../probe.ts';", true],
    ['src/cli/prove', "import '../../../prove/run.ts';", true],
    ['src/cli/prove', "export const y = await import('../../../prove/run.ts');", true],
    ['src/cli', "import './prove/index.ts';", true],
    ['src/cli', "import '../../prove/run.ts';", false],
    ['src/cli/commands', "import '../../../prove/run.ts';", false],
    ['src/ui/records', "import type { Y } from '../../../prove/probe.ts';\nexport type { Y };", false],
    ['src', "import '../prove/run.ts';", false],
  ];

  for (const [folder, content, may] of cases) {
    const found = inspected(folder, content);
    test(`${folder} ${may ? 'may' : 'may not'} have ${JSON.stringify(content)}`, () =>
      expect(found()).toEqual(may ? [] : [expect.stringMatching(APART)]));
  }
});

test.each(['src', 'prove'])('no file of %s switches one of these rules off', (folder) => {
  const files = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );
  expect(files.length).toBeGreaterThan(10);
  for (const file of files)
    expect(readFileSync(join(ROOT, folder, file), 'utf8')).not.toMatch(
      /biome-ignore\S* lint\/plugin|biome-ignore\S* lint:/,
    );
});

test('an exported type of src has a name that no other has', () => {
  const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.tsx?$/.test(file),
  );
  const names = files.flatMap((file) =>
    [...readFileSync(join(ROOT, 'src', file), 'utf8').matchAll(/^export (?:type|interface|class) (\w+)/gm)].map(
      ([, name]) => `${name}`,
    ),
  );
  expect(names.length).toBeGreaterThan(400);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});
