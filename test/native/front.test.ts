import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { homeWith, INSTALLED_PLACES, PROJECT_PLACES } from '../support/program-places.ts';
import { openFolder } from '../support/project.ts';
import { trustedFolder } from '../support/trusted-folder.ts';
import { BARRIER, BUILDS, BWRAP, programs, Running, run, untilForgotten } from './support.ts';

interface Package {
  readonly root: string;
  readonly front: string;
  /** A PATH on which `node` is the stand-in. */
  readonly path: string;
}

const PLAN = (command: string, isolation = 'filter') =>
  [
    'cordon-plan 2',
    'name planned',
    'set TOKEN sealed',
    'set PATH /usr/bin:/bin',
    'command /bin/sh',
    'arg sh',
    'arg -c',
    `arg ${command.replaceAll('\\', '\\\\').replaceAll(' ', '\\s')}`,
    `isolation ${isolation}`,
    'supervise',
    ...(isolation === 'filter' ? [] : [`bwrap ${BWRAP}`, ...BARRIER]),
    'end',
  ].join('\n');

describe.each(BUILDS)('the front of the %s build', (build) => {
  /** A package whose planner is a shell script in the place of Node. */
  function install(planner: string): Package {
    const root = openFolder('front');
    for (const folder of ['bin', 'dist', 'path']) mkdirSync(join(root, folder));
    copyFileSync(join(programs(build), 'cordon'), join(root, 'bin/cordon'));
    writeFileSync(join(root, 'dist/start.cjs'), '');
    writeFileSync(join(root, 'path/node'), `#!/bin/sh\n${planner}\n`);
    chmodSync(join(root, 'path/node'), 0o755);
    writeFileSync(join(root, 'dist/node-path'), `${root}/path/node\n`);
    return { root, front: join(root, 'bin/cordon'), path: `${join(root, 'path')}:/usr/bin:/bin` };
  }
  const start = ({ front, path }: Package, args: readonly string[] = [], env = {}, input = '') =>
    run(front, args, { env: { PATH: path, ...env }, input });
  const writing = (plan: string) => `cat >&3 <<'END'\n${plan}\nEND`;

  it('gives the planner its arguments, the terminal variables and nothing else', () => {
    const shown = { TERM: 't', COLORTERM: 'c', NO_COLOR: '', FORCE_COLOR: '1', COLUMNS: '1', LINES: '2' };
    const made = install(
      'tr "\\0" "\\n" </proc/$$/environ; for a in "$@"; do echo "[$a]"; done; ls /proc/$$/fd; cat; exit 9',
    );
    const { code, stdout } = start(
      made,
      ['a b', '', '--x'],
      { ...shown, NODE_OPTIONS: '--require=/evil.js', LD_X: '1', SECRET: 's', TERMINAL: 'x', LC_ALL: 'C' },
      'typed',
    );
    const lines = stdout.split('\n');
    const entries = ['CORDON_FRONT=3', ...Object.entries(shown).map(([name, value]) => `${name}=${value}`)];
    expect(lines.slice(0, entries.length).sort()).toEqual(entries.sort());
    // Behind `--` nothing is Node's own, whatever it is called.
    const [dashes, script, ...rest] = lines.slice(entries.length);
    expect([dashes, script]).toEqual(['[--]', `[${made.root}/dist/start.cjs]`]);
    // The shell itself has its script open as 10.
    expect(rest.filter((line) => line !== '10')).toEqual(['[a b]', '[]', '[--x]', '0', '1', '2', '3', 'typed']);
    expect(code).toBe(9);
  });

  it('lets the planner read the real environment from /proc', () => {
    expect(start(install('tr "\\0" "\\n" </proc/$PPID/environ'), [], { SECRET: 'there' }).stdout).toContain(
      'SECRET=there',
    );
  });

  it.each([
    ['exit 0', 0],
    ['exit 125', 125],
    ['kill -TERM $$', 143],
    [`${writing(PLAN('echo ran').replace('\nend', ''))}\nexit 2`, 2],
  ])('takes the exit of a planner without a plan, or that failed: %j', (planner, code) => {
    expect(start(install(planner))).toEqual({ code, stdout: '', stderr: '' });
  });

  it.each(['filter', 'barrier'])('carries out the plan, and no planner is left (%s)', async (isolation) => {
    const made = install(`${writing(PLAN('echo $TOKEN; read line; echo got $line; exit 21', isolation))}\nexit 0`);
    const running = new Running(made.front, [], { PATH: made.path, SECRET: 'parent-secret' });
    await running.says(/sealed/);
    const children = readFileSync(`/proc/${running.pid}/task/${running.pid}/children`, 'utf8').trim().split(' ');
    expect(children).toHaveLength(1);
    await untilForgotten(running.pid);
    running.child.stdin.end('it\n');
    expect(await running.ended).toEqual({ code: 21, signal: null });
    expect(running.output).toBe('sealed\ngot it\n');
  });

  it('refuses a plan that was cut short, and one too odd', () => {
    expect(start(install(writing(PLAN('echo ran').replace('\nend', ''))))).toMatchObject({
      code: 125,
      stdout: '',
      stderr: expect.stringContaining('cut short'),
    });
    expect(start(install(writing('rubbish')))).toMatchObject({ code: 125, stdout: '' });
  });

  it('takes a plan larger than a pipe, and does not wait for a descriptor that someone else keeps open', () => {
    const large = PLAN('echo ran').replace('command', `set BIG ${'x'.repeat(120_000)}\ncommand`);
    expect(start(install(writing(large))).stdout).toBe('ran\n');
    const keeper = 'sleep 1000 >/dev/null 2>&1 </dev/null & echo $! >"$(dirname "$0")/pid"';
    const made = install(`${keeper}\n${writing(PLAN('echo ran'))}`);
    expect(start(made).stdout).toBe('ran\n');
    process.kill(Number(readFileSync(join(made.root, 'path/pid'), 'utf8')));
  });

  /** What the front keeps of a plan for `run`, behind that plan. */
  const KEPT = [
    'variables A',
    'cordon-plan 2',
    ...['name cordon', 'command /', 'arg /', 'allow PATH', 'isolation filter', 'supervise', 'end'],
  ].join('\n');

  it.each(['filter', 'barrier'])('keeps what the planner says behind its plan, and ends it first (%s)', (isolation) => {
    const made = install(`${writing(PLAN('echo ran', isolation))}\n${writing(KEPT)}\nexec sleep 1000`);
    const home = openFolder('front-home');
    mkdirSync(join(home, 'state'));
    expect(start(made, ['run', '--', 'true'], { CORDON_HOME: home }).stdout).toBe('ran\n');
    const [name = ''] = readdirSync(join(home, 'state/plans'));
    expect(readFileSync(join(home, 'state/plans', name), 'latin1')).toContain(`\n${KEPT}\n`);
  });

  it('waits for nothing to keep where the planner has ended and someone else has its descriptor', () => {
    const home = openFolder('front-home');
    mkdirSync(join(home, 'state'));
    const keeper = 'sleep 1000 >/dev/null 2>&1 </dev/null & echo $! >"$(dirname "$0")/pid"';
    const made = install(`${keeper}\n${writing(PLAN('echo ran'))}`);
    expect(start(made, ['run', '--', 'true'], { CORDON_HOME: home }).stdout).toBe('ran\n');
    expect(existsSync(join(home, 'state/plans'))).toBe(false);
    process.kill(Number(readFileSync(join(made.root, 'path/pid'), 'utf8')));
  });

  it('finds its package through links', () => {
    const made = install('echo "$2"');
    const link = join(openFolder('link'), 'cordon');
    symlinkSync(made.front, link);
    expect(start({ ...made, front: link }).stdout).toBe(`${made.root}/dist/start.cjs\n`);
  });

  /** A `node` that says who it is. */
  function nodeIn(folder: string, said: string): string {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'node'), `#!/bin/sh\necho ${said}\n`);
    chmodSync(join(folder, 'node'), 0o755);
    return folder;
  }
  /** A package without a note. */
  function installBare(): Package {
    const made = install('echo noted');
    rmSync(join(made.root, 'dist/node-path'));
    return made;
  }

  it('prefers the node noted at the installation, and looks on PATH when that is gone', () => {
    const made = install('echo noted');
    const path = nodeIn(trustedFolder('node'), 'found');
    expect(start({ ...made, path }).stdout).toBe('noted\n');
    rmSync(join(made.root, 'path/node'));
    expect(start({ ...made, path }).stdout).toBe('found\n');
    expect(start({ ...made, path: '/nonexistent' })).toMatchObject({
      code: 125,
      stderr: expect.stringContaining('node was not found'),
    });
  });

  it('skips our own shims and relative folders of PATH', () => {
    const made = installBare();
    const path = nodeIn(trustedFolder('node'), 'found');
    const shims = nodeIn(trustedFolder('shims'), 'shim');
    writeFileSync(join(shims, 'node'), '#!/x/cordon-launch\n');
    expect(start({ ...made, path: `${shims}:${path}` }).stdout).toBe('found\n');
    const evil = nodeIn(openFolder('evil'), 'evil');
    for (const before of [':', '.:', ''])
      expect(run(made.front, [], { env: { PATH: `${before}${path}` }, cwd: evil }).stdout).toBe('found\n');
  });

  it('never takes a node from a place that a command can write, and names it', () => {
    const made = installBare();
    const work = trustedFolder('work');
    mkdirSync(join(work, '.git'));
    const inside = join(work, 'packages/app');
    mkdirSync(inside, { recursive: true });
    const links = trustedFolder('links');
    const open = join(trustedFolder('open'), 'for-all');
    const planted = [
      nodeIn(join(work, 'venv/bin'), 'repository'),
      nodeIn(join(inside, 'node_modules/.bin'), 'working folder'),
      nodeIn(openFolder('tmp'), 'tmp'),
      nodeIn(join(open, 'bin'), 'open'),
      links,
    ];
    chmodSync(open, 0o777);
    symlinkSync(join(work, 'venv/bin/node'), join(links, 'node'));
    const beside = nodeIn(trustedFolder('beside'), 'beside');
    const at = (path: string, cwd: string) => run(made.front, [], { env: { PATH: path }, cwd });
    for (const folder of planted) {
      expect(at(`${folder}:${beside}`, inside).stdout).toBe('beside\n');
      expect(at(folder, inside)).toMatchObject({
        code: 125,
        stdout: '',
        stderr: expect.stringContaining(join(folder, 'node')),
      });
    }
  });

  it.each(INSTALLED_PLACES)('takes a node from ~/$folder', (place) => {
    const { home, place: path, work } = homeWith(place);
    nodeIn(path, 'installed');
    expect(run(installBare().front, [], { env: { PATH: path, HOME: home }, cwd: work }).stdout).toBe('installed\n');
  });

  it.each(PROJECT_PLACES)('takes no node from ~/$folder, where commands work (repository $repository)', (place) => {
    const { home, place: path, work } = homeWith(place);
    nodeIn(path, 'planted');
    expect(run(installBare().front, [], { env: { PATH: path, HOME: home }, cwd: work })).toMatchObject({
      code: 125,
      stdout: '',
      stderr: expect.stringContaining(join(path, 'node')),
    });
  });

  it('passes signals on to the planner and waits for it', async () => {
    const made = install(`trap 'echo term; exit 5' TERM; echo ready; while :; do read line; done`);
    const running = new Running(made.front, [], { PATH: made.path });
    await running.says(/ready/);
    running.child.kill('SIGTERM');
    running.child.stdin.write('\n');
    await running.says(/term/);
    expect(await running.ended).toEqual({ code: 5, signal: null });
  });

  it('killed with -9 takes the planner with it', async () => {
    const made = install('echo ready; read line; touch "$(dirname "$0")/../survived"');
    const running = new Running(made.front, [], { PATH: made.path });
    await running.says(/ready/);
    running.child.kill('SIGKILL');
    await running.ended; // The planner held our end of its output until it died.
    expect(existsSync(join(made.root, 'survived'))).toBe(false);
  });
});
