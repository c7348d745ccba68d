import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openFolder, ROOT } from '../support/project.ts';

const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };

let folder: string;
let tarball: string;

// The global set-up has just built dist, so the package is packed as it stands.
beforeAll(() => {
  folder = openFolder('pack');
  const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
  const output = execFileSync('npm', args, { cwd: ROOT, encoding: 'utf8', env: npmEnvironment() });
  const [{ filename }] = JSON.parse(output) as [{ filename: string }];
  tarball = join(folder, filename);
});

afterAll(() => rmSync(folder, { recursive: true }));

/** Nothing of the caller's npm: an empty cache, no configuration, no network. */
function npmEnvironment(): NodeJS.ProcessEnv {
  const { PATH } = process.env;
  return { PATH, HOME: folder, npm_config_cache: join(folder, 'cache'), npm_config_offline: 'true' };
}

function install(name: string, ...flags: string[]): string {
  const prefix = join(folder, name);
  mkdirSync(prefix);
  const args = ['install', '--global', '--omit=optional', '--prefix', prefix, ...flags, tarball];
  execFileSync('npm', args, { cwd: folder, env: npmEnvironment(), stdio: 'pipe' });
  return prefix;
}

const packageFolder = (prefix: string): string => join(prefix, 'lib', 'node_modules', 'cordon');
const binary = (prefix: string): Buffer => readFileSync(join(packageFolder(prefix), 'bin', 'cordon'));
const ELF = Buffer.from('\x7fELF', 'latin1');
const isNative = (prefix: string): boolean => binary(prefix).subarray(0, 4).equals(ELF);

function cordon(prefix: string, ...args: string[]) {
  const env = {
    PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
    HOME: folder,
    CORDON_HOME: join(folder, 'home'),
    LANG: 'C.UTF-8',
    PLANTED_TOKEN: 'canary-7c1d',
  };
  return spawnSync(join(prefix, 'bin', 'cordon'), args, { cwd: folder, env, encoding: 'utf8' });
}

function expectToWork(prefix: string): void {
  expect(cordon(prefix, '--version')).toMatchObject({ status: 0, stdout: expect.stringContaining(version) });
  const { status, stdout, stderr } = cordon(prefix, 'run', '--', 'env');
  expect({ status, stderr }).toMatchObject({ status: 0 });
  expect(stdout).toContain('LANG=C.UTF-8\n');
  expect(stdout).not.toContain('canary-7c1d');
  expect(cordon(prefix, 'run', '--', 'sh', '-c', 'exit 7').status).toBe(7);
}

/** Without the launcher nothing is started: this was packed without those for other machines, which .ci/package tries. */
function expectToStartNothing(prefix: string): void {
  expect(cordon(prefix, '--version')).toMatchObject({ status: 0, stdout: expect.stringContaining(version) });
  expect(cordon(prefix, 'run', '--', 'env')).toMatchObject({ status: 125, stdout: '' });
  expect(cordon(prefix, 'run', '--isolation', 'filter', '--', 'env')).toMatchObject({ status: 125, stdout: '' });
}

describe('the package, installed into an empty prefix', () => {
  test('has the program, the sources of its native part and its documents, and nothing else', () => {
    const files = execFileSync('tar', ['-tzf', tarball], { encoding: 'utf8' }).trim().split('\n');
    expect(files).toEqual(
      expect.arrayContaining(
        [
          'LICENSE',
          'README.md',
          'SECURITY.md',
          'bin/cordon',
          'dist/cli.js',
          'dist/index.js',
          'dist/index.d.ts',
          'man/cordon.1',
        ].map((file) => `package/${file}`),
      ),
    );
    const wanted =
      /^package\/(?:bin|dist|docs|man|native\/src|native\/build\.sh|scripts\/(?:install-native\.mjs|write-code-cache\.cjs)|[A-Za-z]+\.(?:md|json)|LICENSE)/;
    expect(files.filter((file) => !wanted.test(file))).toEqual([]);
    // Built for this machine only.
    expect(files.filter((file) => /package\/dist\/(?:bin|native|node-path|\.)/.test(file))).toEqual([]);
  });

  test('works with its install script, as a native program', () => {
    const prefix = install('with-scripts');
    expect(isNative(prefix)).toBe(true);
    expectToWork(prefix);
    expect(readFileSync(join(prefix, 'share', 'man', 'man1', 'cordon.1'), 'utf8')).toContain('.TH CORDON 1');
  });

  test('works without its install script, and becomes native when that is run by hand', () => {
    const prefix = install('without-scripts', '--ignore-scripts');
    expect(isNative(prefix)).toBe(false);
    expectToStartNothing(prefix);
    execFileSync(process.execPath, [join(packageFolder(prefix), 'scripts', 'install-native.mjs')], { cwd: '/' });
    expect(isNative(prefix)).toBe(true);
    expectToWork(prefix);
  });

  test('installs where there is no compiler, and says what that means', () => {
    const prefix = install('no-compiler', '--ignore-scripts');
    const script = join(packageFolder(prefix), 'scripts', 'install-native.mjs');
    const { status, stderr } = spawnSync(process.execPath, [script], { env: { PATH: '/nowhere' }, encoding: 'utf8' });
    expect(status).toBe(0);
    expect(stderr).toMatch(/there is no C compiler/);
    expectToStartNothing(prefix);
  });

  describe('as a library', () => {
    let project: string;
    let declarations: string;

    beforeAll(() => {
      project = join(folder, 'library');
      mkdirSync(join(project, 'node_modules'), { recursive: true });
      const installed = packageFolder(install('library-prefix', '--ignore-scripts'));
      symlinkSync(installed, join(project, 'node_modules', 'cordon'));
      writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
      declarations = readFileSync(join(installed, 'dist/index.d.ts'), 'utf8');
    });

    const exported = () => (/^export \{ (.*) \};$/m.exec(declarations)?.[1] ?? '').split(', ');

    function compile(text: string): string {
      writeFileSync(join(project, 'use.ts'), text);
      const types = ['--types', 'node', '--typeRoots', join(ROOT, 'node_modules', '@types')];
      const args = ['--strict', '--module', 'nodenext', '--target', 'es2023', ...types, '--outDir', project, 'use.ts'];
      return spawnSync(join(ROOT, 'node_modules', '.bin', 'tsc'), args, { cwd: project, encoding: 'utf8' }).stdout;
    }

    test('has one file of declarations, and none of them leads out of it', () => {
      const files = execFileSync('tar', ['-tzf', tarball], { encoding: 'utf8' }).trim().split('\n');
      expect(files.filter((file) => file.endsWith('.d.ts'))).toEqual(['package/dist/index.d.ts']);
      const sources = [...declarations.matchAll(/(?:from |import\()['"]([^'"]*)['"]/g)].map(([, source]) => source);
      expect(sources.filter((source) => source?.startsWith('node:') !== true)).toEqual([]);
    });

    test('says of every export what it is', () => {
      const described = (name: string) => new RegExp(`\\*/\\n(?:declare )?\\w+ ${name}\\b`).test(declarations);
      expect(exported().length).toBeGreaterThan(50);
      expect(exported().filter((name) => !described(name))).toEqual([]);
    });

    test('every export can be used by its type, and a wrong use is seen', () => {
      expect(compile(`export { ${exported().join(', ')} } from 'cordon';\n`)).toBe('');
      expect(
        compile(`import { decide, launch, ParentEnv, prepare, type Decision, type LaunchPlan, type Policy } from 'cordon';
export const asked: Partial<Policy> = { isolation: 'barrier', network: { mode: 'off', allow: [], deny: [] } };
const { plan, decisions } = prepare({ argv: ['true'], env: { HOME: '/' }, policy: asked });
export const all: readonly Decision[] = decisions;
export const one: LaunchPlan = plan;
export const code: Promise<number> = launch(plan).result.then(({ exitCode }) => exitCode);
export const again = (policy: Policy) => decide(policy, ParentEnv.fromRecord({}));
`),
      ).toBe('');
      expect(compile("import { launch } from 'cordon';\nlaunch({ name: 'x' });\n")).toMatch(
        /^use\.ts\(2,8\): error .*from type 'LaunchPlan'/,
      );
    });

    test('has at run time the values that its declarations name', () => {
      expect(compile("import * as cordon from 'cordon';\nexport const names: string[] = Object.keys(cordon);\n")).toBe(
        '',
      );
      const values = exported().filter((name) =>
        new RegExp(`^declare (?:const|function|class) ${name}\\b`, 'm').test(declarations),
      );
      const script = "import('./use.js').then(({ names }) => console.log(names.join()))";
      const printed = execFileSync(process.execPath, ['-e', script], { cwd: project, encoding: 'utf8' });
      expect(printed.trim().split(',').toSorted()).toEqual(values.toSorted());
    });
  });
});

test('the checkout’s own root knows itself by the package name', () => {
  const script = "import('cordon').then((library) => console.log(Object.keys(library).length > 0))";
  expect(execFileSync(process.execPath, ['-e', script], { cwd: ROOT, encoding: 'utf8' })).toBe('true\n');
});
