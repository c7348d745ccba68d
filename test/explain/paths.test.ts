import { spawn } from 'node:child_process';
import { chownSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { showAnswer } from '../../src/cli/ui/answers.ts';
import { decisionGroups } from '../../src/cli/ui/decisions.ts';
import { explain } from '../../src/decide/explain.ts';
import { variableAnswer } from '../../src/explain/variables.ts';
import { ParentEnv } from '../../src/host/parent-env.ts';
import { DEFAULT_POLICY } from '../../src/policy/policy.ts';
import { cordonProgram, freshHome, installedPackage, runCordon } from '../support/cordon.ts';
import { identityOf, SELF, USERS, type User } from '../support/users.ts';

interface Answer {
  readonly name: string;
  readonly kind: string;
  readonly verdict: string;
  readonly reason: string;
  readonly change: { readonly flag: string; readonly profile?: string; readonly gives?: string } | null;
}

const FILES = {
  '.ssh/id_rsa': 'key',
  '.aws/credentials': 'key',
  '.npmrc': 'registry=https://npm.example/\n//npm.example/:_authToken=canary\n',
  '.bashrc': 'alias ll=ls\n',
  '.config/git/config': '[user]\n\tname = x\n',
  '.config/secret-tool/token': 'x',
  '.cargo/config.toml': 'x',
  'Documents/a.md': 'x',
  'other/.env': 'x',
  'work/src/main.c': 'x',
  'work/.git/hooks/pre-commit': 'x',
  'work/.git/config': '[core]\n',
  'work/.git/HEAD': 'ref: refs/heads/main\n',
} as const;

function scene(user: User): string {
  const home = freshHome(user);
  const { uid, gid } = identityOf(user);
  const own = (path: string) => chownSync(path, uid, gid);
  for (const [name, text] of Object.entries(FILES)) {
    const parts = dirname(name).split('/');
    parts.forEach((_, i) => {
      const folder = join(home, ...parts.slice(0, i + 1));
      mkdirSync(folder, { recursive: true });
      own(folder);
    });
    writeFileSync(join(home, name), text);
    own(join(home, name));
  }
  symlinkSync('../.ssh/id_rsa', join(home, 'work/key'));
  symlinkSync('nowhere', join(home, 'work/dangling'));
  return home;
}

function ask(user: User, home: string, ...args: readonly string[]): Answer[] {
  const { stdout, stderr, code } = runCordon(['explain', '--json', ...args], { user, home, cwd: join(home, 'work') });
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout);
}

/** What a real command meets: `-` nothing, `r` readable, `w` writable, and then whether it stays. */
const PROBE = `for path; do
  if ! [ -e "$path" ] && ! [ -L "$path" ]; then echo absent; continue; fi
  if [ -L "$path" ] && ! [ -e "$path" ]; then echo link; continue; fi
  read=no write=no; [ -r "$path" ] && read=yes; [ -w "$path" ] && write=yes
  echo "$read $write"
done`;

function meet(user: User, home: string, paths: readonly string[], flags: readonly string[] = []): string[] {
  const cwd = join(home, 'work');
  const { stdout } = runCordon(['run', ...flags, '--', 'sh', '-c', PROBE, 'sh', ...paths], { user, home, cwd });
  return stdout.trim().split('\n');
}

/** Which meetings an answer allows. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  hidden: ['absent', 'link', 'no no'],
  absent: ['absent', 'link'],
  closed: ['no no', 'absent', 'no yes'],
  'read-only': ['yes no', 'no no'],
  copy: ['yes yes', 'yes no'],
  'put aside': ['yes yes', 'no yes'],
  real: ['yes yes', 'link'],
  'cut off': ['yes yes', 'yes no', 'no no'],
};

it('of a folder that is the command’s own says that nothing stays, and no flag that would keep it', () => {
  const home = scene('cordon-test');
  const [own, none, shown] = ask('cordon-test', home, '/tmp', '/tmp/none-such', join(home, '.config/git'));
  expect(own).toMatchObject({ reason: "/tmp is the command's own; what is written there is gone when it ends" });
  expect(own?.change).toBeNull();
  expect(none?.reason).toContain('what a command makes there would be gone when it ends');
  expect(shown?.reason).toContain('what is written there is put aside');
});

describe.each(USERS)('explain of paths as %s', (user) => {
  it('agrees with a real command about random paths, under random presets', () => {
    const home = scene(user);
    const names = Object.keys(FILES).flatMap((name) => [name, dirname(name)]);
    const inHome = fc.constantFrom(...names, 'work/key', 'work/dangling', '.netrc', 'work/new', '.local/state/cordon');
    const path = fc.oneof(
      inHome.map((name) => join(home, name)),
      fc.constantFrom(
        '/etc/passwd',
        '/etc/shadow',
        '/etc',
        '/usr/bin',
        '/tmp',
        '/tmp/x',
        '/var/lib',
        '/run',
        '/dev/null',
      ),
      fc.constantFrom('/dev/shm', '/proc/1', '/nonexistent/a', '/', home, join(home, 'work')),
    );
    const flags = fc.constantFrom(
      [],
      ['--fs', 'workspace'],
      ['--fs', 'minimal'],
      ['--fs', 'all'],
      ['--read', home],
      ['--write', join(home, 'Documents')],
      ['--hide', join(home, 'work/src')],
      ['--expose', join(home, '.ssh')],
      ['--workspace', 'read-only'],
      ['--workspace', 'aside'],
    );
    fc.assert(
      fc.property(fc.uniqueArray(path, { minLength: 12, maxLength: 30 }), flags, (paths, given) => {
        const answers = ask(user, home, ...given, ...paths);
        const met = meet(user, home, paths, given);
        const wrong = answers.flatMap(({ verdict, reason }, at) =>
          ALLOWED[verdict]?.includes(met[at] ?? '') === true
            ? []
            : [`${paths[at]}: ${verdict} (${reason}), met ${met[at]}`],
        );
        expect(wrong, given.join(' ')).toEqual([]);
      }),
      { numRuns: 12 },
    );
  });

  it('a workspace that is not written for real', () => {
    const home = scene(user);
    const paths = ['work', 'work/src', 'work/src/main.c'].map((name) => join(home, name));
    const told = (mode: string) =>
      ask(user, home, '--workspace', mode, '--expose', 'src/main.c', ...paths).map(({ reason, change }) => [
        reason,
        change?.flag,
      ]);
    const exposed = (mode: string) => [
      `what is exposed in a workspace that is ${mode} can only be read`,
      `leave out --workspace ${mode}`,
    ];
    expect(told('read-only')).toEqual([
      ['the workspace is read-only', 'leave out --workspace read-only'],
      ['the workspace is read-only', '--write ~/work/src'],
      exposed('read-only'),
    ]);
    expect(told('aside')[2]).toEqual(exposed('aside'));
  });

  it('the flag that each answer ends with changes what a command meets', () => {
    const home = scene(user);
    const paths = ['.ssh/id_rsa', 'Documents/a.md', 'work/key', 'work/src', '.config/secret-tool/token'].map((name) =>
      join(home, name),
    );
    const before = meet(user, home, paths);
    const answers = ask(user, home, ...paths);
    answers.forEach(({ change }, at) => {
      const [flag = '', value = ''] = change?.flag.split(' ') ?? [];
      const changed = [flag, value.replace('~', home)];
      if (paths[at] === join(home, 'work/key')) changed[1] = join(home, '.ssh/id_rsa');
      expect(meet(user, home, [paths[at] ?? ''], changed), change?.flag).not.toEqual([before[at]]);
    });
  });

  it('names the reason, the flag, the line of a profile, and what a credential gives away', () => {
    const home = scene(user);
    const [key, document] = ask(user, home, '~/.ssh/id_rsa', '~/Documents/a.md');
    expect(key).toMatchObject({
      name: '~/.ssh/id_rsa',
      kind: 'path',
      verdict: 'hidden',
      reason: 'SSH keys and configuration',
      change: {
        flag: '--expose ~/.ssh/id_rsa',
        profile: '"filesystem": { "expose": ["~/.ssh/id_rsa"] }',
        gives: expect.stringContaining('log-in to every machine'),
      },
    });
    expect(document).toMatchObject({ verdict: 'hidden', change: { flag: '--read ~/Documents/a.md' } });
    expect(document?.change?.gives).toBeUndefined();
  });
});

it('a socket leads nowhere, and --expose lets it through', async () => {
  const user = SELF;
  const home = scene(user);
  const path = join(home, '.cargo/socket');
  const server = createServer().listen(path);
  await new Promise((resolve) => server.once('listening', resolve));
  chownSync(path, identityOf(user).uid, identityOf(user).gid);
  try {
    expect(ask(user, home, path)).toMatchObject([
      { kind: 'socket', verdict: 'cut off', change: { flag: '--expose ~/.cargo/socket' } },
    ]);
    expect(ask(user, home, '--expose', path, path)).toMatchObject([{ kind: 'socket', verdict: 'real' }]);
  } finally {
    server.close();
  }
});

it('what is hidden in the workspace is there and cannot be read', () => {
  const home = scene(SELF);
  for (const path of ['src/main.c', 'src'])
    expect(ask(SELF, home, '--hide', path, path)).toMatchObject([
      { verdict: 'hidden', reason: 'the policy hides it', change: { flag: `leave out --hide ~/work/${path}` } },
    ]);
});

it('inside a sandbox, what of the home is read-only is not said to lie outside of it', () => {
  const user = 'cordon-test';
  const home = scene(user);
  const inside = ['run', '--read', installedPackage(), '--', cordonProgram(), 'explain', '--json', '~/.bashrc'];
  const { stdout, stderr } = runCordon(inside, { user, home, cwd: join(home, 'work') });
  expect(JSON.parse(stdout), stderr).toMatchObject([
    { verdict: 'read-only', reason: expect.stringContaining('it is shown') },
  ]);
});

it('a path behind a link into what is the command’s own is told of as that', () => {
  const [behind] = ask(SELF, scene(SELF), '/var/run/none-such/x.sock');
  expect(behind?.reason).toContain('what a command makes there would be gone when it ends');
});

it('says what the policy lets a command do, not that the policy does it', () => {
  const [key] = ask(SELF, scene(SELF), '--expose', '~/.ssh', '~/.ssh/id_rsa');
  expect(key?.reason).toBe('the policy lets it be written: what is written there stays');
});

describe('a port of this machine', () => {
  it.each(['localhost:3456', '127.0.0.1:3456', '[::1]:3456'])('%s can be reached by its own rule', (host) => {
    const home = scene(SELF);
    expect(ask(SELF, home, '--net', '@host:3456', host)).toMatchObject([{ verdict: 'reached' }]);
    expect(ask(SELF, home, '--net', '@host:1', '--net', '*', host)).toMatchObject([
      { verdict: 'refused', change: { flag: '--net @host:3456' } },
    ]);
  });

  it('is reached by a command where explain says so', async () => {
    const server = createServer((socket) => socket.end('hello')).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    const read = `cat < /dev/tcp/127.0.0.1/${port}`;
    const { cordon, options } = {
      cordon: cordonProgram(),
      options: { env: { PATH: '/usr/bin:/bin', HOME: scene(SELF) } },
    };
    const run = (...flags: string[]) =>
      new Promise<string>((done) => {
        const child = spawn(cordon, ['run', '-q', ...flags, '--', 'bash', '-c', read], {
          ...options,
          stdio: ['ignore', 'pipe', 'ignore'],
        });
        let text = '';
        child.stdout.on('data', (part) => {
          text += part;
        });
        child.on('close', () => done(text));
      });
    try {
      expect(await run('--net', `@host:${port}`)).toBe('hello');
      expect(await run('--net', 'example.com')).toBe('');
    } finally {
      server.close();
    }
  });
});

it('of a name with white space says a flag that a launch takes', () => {
  const home = scene(SELF);
  const options = { user: SELF, home, cwd: join(home, 'work'), env: { 'a b': 'here' } };
  const [{ change }] = JSON.parse(runCordon(['explain', '--json', 'a b'], options).stdout) as [Answer];
  expect(change?.flag).toBe("--allow 'a?b'");
  expect(change?.profile).toContain('allow_patterns');
  expect(runCordon(['run', '--allow', 'a?b', '--', 'env'], options).stdout).toContain('a b=here');
});

it('of a word that is a program says how to ask about the program', () => {
  const { stdout } = runCordon(['explain', 'env'], { user: SELF, home: scene(SELF) });
  expect(stdout).toContain('cordon explain -- env');
  expect(runCordon(['explain', 'PATH'], { user: SELF, home: scene(SELF) }).stdout).not.toContain('explain --');
});

it('variables, hosts and command lines are told apart', () => {
  const user = SELF;
  const home = scene(user);
  const kinds = ask(user, home, 'PATH', 'example.com:443', 'src', './src', '--', 'ls', '-l', '~/.ssh').map(
    ({ kind }) => kind,
  );
  expect(kinds).toEqual(['variable', 'host', 'path', 'path', 'command', 'path']);
  expect(ask(user, home, '--net', 'off', 'example.com')).toMatchObject([
    { verdict: 'refused', change: { flag: '--net on' } },
  ]);
});

it('fits 80 columns, and folds what has the same reason', () => {
  const names = Array.from({ length: 40 }, (_, i) => `SOME_LONG_NAME_${i}`);
  const env = ParentEnv.fromRecord(Object.fromEntries(names.map((name) => [name, 'x'])));
  const narrow = { columns: 80, colour: { out: false, err: false } };
  const decisions = explain(DEFAULT_POLICY, env);
  const shown = decisionGroups(decisions, narrow);
  expect(shown.match(/no rule admits it/g)).toHaveLength(1);
  for (const name of names) expect(shown).toContain(name);
  const answers = decisions.map((decision) => showAnswer(variableAnswer(decision, env), narrow)).join('');
  for (const line of `${shown}${answers}`.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  expect(`${shown}${answers}`).not.toContain('…');
});
