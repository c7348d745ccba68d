import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { copyCheckout, openFolder, ROOT } from '../support/project.ts';

const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
const VERSION = expect.stringContaining(version);

let checkout: string;
let tools: string;

beforeEach(() => {
  checkout = copyCheckout();
  tools = openFolder('tools');
  // The npm packages are linked to those of this checkout: an npm that runs would change them.
  writeFileSync(join(tools, 'npm'), '#!/bin/sh\necho npm was called >&2\nexit 1\n', { mode: 0o755 });
});

afterEach(() => {
  execFileSync('chmod', ['-R', 'u+w', checkout]);
  rmSync(checkout, { recursive: true });
  rmSync(tools, { recursive: true });
});

interface Outcome {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const withTools = (): NodeJS.ProcessEnv => ({ ...process.env, PATH: `${tools}:${process.env.PATH}` });

function run(args: readonly string[], env: NodeJS.ProcessEnv = withTools()): Outcome {
  return spawnSync(join(checkout, 'scripts', 'run'), args, { env, cwd: '/', encoding: 'utf8' });
}

async function runAtOnce(): Promise<Outcome> {
  const child = spawn(join(checkout, 'scripts', 'run'), ['--version'], {
    env: withTools(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { status, stdout, stderr };
}

/** Every file with the time of its last change. */
function snapshot(): string[] {
  const paths = readdirSync(checkout, { recursive: true, encoding: 'utf8' });
  return paths.map((path) => `${path} ${statSync(join(checkout, path)).mtimeMs}`).sort();
}

const stampTime = (): number => statSync(join(checkout, 'dist', '.stamp')).mtimeMs;

test('scripts/run builds a fresh checkout, and is silent ever after', () => {
  expect(run(['--version'])).toMatchObject({ status: 0, stdout: VERSION });
  const before = snapshot();
  expect(run(['--version'])).toMatchObject({ status: 0, stdout: VERSION, stderr: '' });
  expect(snapshot()).toEqual(before);
});

test('first runs at the same time do not get into each other’s way', async () => {
  rmSync(join(checkout, 'native', 'build'), { recursive: true });
  const outcomes = await Promise.all([runAtOnce(), runAtOnce(), runAtOnce()]);
  for (const outcome of outcomes) expect(outcome).toMatchObject({ status: 0, stdout: VERSION });
});

test('a changed, an added and a removed source each lead to a new build', () => {
  run(['--version']);
  const source = join(checkout, 'src', 'index.ts');
  const added = join(checkout, 'src', 'host', 'added.ts');
  const changes = [
    () => utimesSync(source, new Date(), new Date()),
    () => writeFileSync(added, 'export const added = 1;\n'),
    () => rmSync(added),
  ];
  for (const change of changes) {
    const before = stampTime();
    change();
    expect(run(['--version'])).toMatchObject({ status: 0, stdout: VERSION, stderr: '' });
    expect(stampTime()).toBeGreaterThan(before);
  }
});

test('a build that fails is an error of Cordon, not of the command', () => {
  writeFileSync(join(checkout, 'src', 'index.ts'), 'export const broken = ;\n');
  const { status, stderr } = run(['--version']);
  expect(status).toBe(125);
  expect(stderr).toContain('src/index.ts');
});

/** As somebody else where we may change users; else as one who may not write, which comes to the same. */
function runAsStranger(args: readonly string[]): Outcome {
  if (process.getuid?.() !== 0) {
    execFileSync('chmod', ['-R', 'a-w', checkout]);
    return run(args);
  }
  const stranger = ['--reuid=cordon-test', '--regid=cordon-test', '--clear-groups', '--reset-env'];
  const command = [...stranger, join(checkout, 'scripts', 'run'), ...args];
  return spawnSync('setpriv', command, { cwd: '/', encoding: 'utf8' });
}

test('another user of a set-up checkout changes nothing in it', () => {
  run(['--version']);
  const before = snapshot();
  expect(runAsStranger(['--version'])).toMatchObject({ status: 0, stdout: VERSION, stderr: '' });
  utimesSync(join(checkout, 'src', 'index.ts'), new Date(), new Date());
  const changed = snapshot();
  expect(changed).not.toEqual(before);
  expect(runAsStranger(['--version'])).toMatchObject({ status: 0, stdout: VERSION });
  expect(snapshot()).toEqual(changed);
});

test('another user of a checkout that is not set up is told so', () => {
  const { status, stderr } = runAsStranger(['--version']);
  expect(status).toBe(125);
  expect(stderr).toMatch(/not set up/);
});

const NEEDED = [
  'bash',
  'find',
  'flock',
  'id',
  'mkdir',
  'mktemp',
  'mv',
  'node',
  'readlink',
  'sh',
  'touch',
  'env',
  'chmod',
];

/** A PATH on which there is no package manager, no bubblewrap and no compiler. */
function poorPath(without: readonly string[] = []): NodeJS.ProcessEnv {
  const bin = join(tools, 'poor');
  mkdirSync(bin);
  for (const name of NEEDED.filter((entry) => !without.includes(entry))) {
    const path = execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim();
    symlinkSync(path, join(bin, name));
  }
  return { PATH: bin };
}

test('what cannot be installed is named with what that costs, and the rest works', () => {
  const env = poorPath();
  const { status, stdout, stderr } = run(['--version'], env);
  expect({ status, stdout }).toMatchObject({ status: 0, stdout: VERSION });
  expect(stderr).toMatch(/could not install bubblewrap: .*no barrier/);
  expect(stderr).toMatch(/could not install .*musl-tools: .*nothing can be started/);
  expect(run(['--version'], env)).toMatchObject({ status: 0, stdout: VERSION, stderr: '' });
});

/** An apt-get that knows no package before an update, and then "installs" each as an empty program; sudo for who is not root. */
function addPackageManager(bin: string): void {
  const installs = `for package; do case $package in bubblewrap) touch_program bwrap;; musl-tools) touch_program musl-gcc;; esac; done`;
  const script = `#!/bin/sh
echo "$*" >>${tools}/apt.log
touch_program() { printf '#!/bin/sh\\nexit 1\\n' >${bin}/$1; chmod 755 ${bin}/$1; }
case "$*" in *update*) touch ${tools}/lists; exit 0;; esac
[ -e ${tools}/lists ] || exit 100
${installs}
`;
  writeFileSync(join(bin, 'apt-get'), script, { mode: 0o755 });
  writeFileSync(join(bin, 'sudo'), '#!/bin/sh\nshift\nexec "$@"\n', { mode: 0o755 });
}

test('missing system packages are installed, after a refresh of the package lists where it takes one', () => {
  const env = poorPath();
  addPackageManager(env.PATH as string);
  rmSync(join(checkout, 'native'), { recursive: true });
  mkdirSync(join(checkout, 'native'));
  const { status, stderr } = run(['--version'], env);
  expect({ status, stderr }).toEqual({ status: 0, stderr: 'set-up: installing bubblewrap gcc libc6-dev musl-tools\n' });
  const calls = readFileSync(join(tools, 'apt.log'), 'utf8').trim().split('\n');
  expect(calls.map((call) => /install|update/.exec(call)?.[0])).toEqual(['install', 'update', 'install']);
});

test('without Node there is one clear sentence', () => {
  const { status, stderr } = run(['--version'], poorPath(['node']));
  expect(status).toBe(125);
  expect(stderr).toBe('set-up: Node 20 or later is needed, and there is no node on PATH (https://nodejs.org)\n');
});

test('variables with odd names get through to cordon', () => {
  run(['--version']);
  const names = ['my.var', 'lower', 'with space', 'BASH_FUNC_x%%', 'ümlaut'];
  const odd = Object.fromEntries(names.map((name) => [name, '() { :; }']));
  const { stdout } = run(['explain', '--json'], { ...withTools(), ...odd });
  const explained = (JSON.parse(stdout) as { name: string }[]).map(({ name }) => name);
  expect(explained).toEqual(expect.arrayContaining(names));
});

test('functions and start-up files of the caller are not run', () => {
  run(['--version']);
  const startUp = join(tools, 'start-up');
  writeFileSync(startUp, 'echo from the start-up file\n');
  chmodSync(startUp, 0o755);
  const env = { ...withTools(), BASH_ENV: startUp, ENV: startUp, 'BASH_FUNC_find%%': '() { echo from the function; }' };
  expect(run(['--version'], env)).toMatchObject({
    status: 0,
    stdout: expect.not.stringContaining('from the'),
    stderr: '',
  });
});

test('scripts/test ends with the counts, and fails when a test does', () => {
  const inner =
    "import { expect, test } from 'vitest';\ntest('a', () => expect(1).toBe(1));\ntest('b', () => expect(1).toBe(2));\n";
  writeFileSync(join(checkout, 'test', 'host', 'inner.test.ts'), inner);
  const { status, stdout } = spawnSync(join(checkout, 'scripts', 'test'), ['test/host/inner'], {
    env: withTools(),
    encoding: 'utf8',
  });
  expect(status).toBe(1);
  const [, passed, failed] = /\n(\d+) passed, (\d+) failed\n$/.exec(stdout) ?? [];
  expect(Number(passed)).toBeGreaterThanOrEqual(1);
  // Types, those of the page, lint and unused code count as one each: six altogether.
  expect(Number(passed) + Number(failed)).toBe(6);
});
