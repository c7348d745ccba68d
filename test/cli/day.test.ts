import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { World } from '../changes/world.ts';
import { cordonProgram, freshHome, runAs, runCordon } from '../support/cordon.ts';
import { identityOf, USERS, type User } from '../support/users.ts';

const user: User = 'cordon-test';

/** A home of the ordinary user with these files in it. */
function homeWith(files: Readonly<Record<string, string>> = {}): string {
  const home = freshHome(user);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), text);
  }
  const { uid, gid } = identityOf(user);
  execFileSync('chown', ['-R', `${uid}:${gid}`, home]);
  return home;
}

const run = (home: string, ...args: readonly string[]) => runCordon(args, { user, home });

describe.each(USERS)('cordon changes, as %s', (who) => {
  it('drop takes paths: they are gone from the disk, the rest can still be applied', () => {
    const world = new World(who);
    world.put('.tool/a', 'old\n');
    world.run('echo kept-one >~/.tool/a; echo dropped-one >~/.tool/b; mkdir ~/.tool/c; echo three >~/.tool/c/d', [
      '--read',
      world.home,
    ]);
    const [record = ''] = world.names();
    expect(world.cordon(['changes', 'drop', join(world.home, '.tool/b')])).toMatchObject({
      code: 0,
      stdout: `dropped ${join(world.home, '.tool/b')}\n`,
    });
    expect(readFileSync(join(world.records, record), 'latin1')).not.toContain('dropped-one');
    expect(readdirSync(world.records)).toEqual([record]);
    expect(world.cordon(['changes', 'drop', record, join(world.home, '.tool/c')]).code).toBe(0);
    expect(world.show().map(({ path }) => path)).toEqual([join(world.home, '.tool/a')]);
    expect(world.cordon(['changes', 'apply', join(world.home, '.tool/a')]).stdout).toContain('applied');
    expect(world.text('.tool/a')).toBe('kept-one\n');
    expect(world.cordon(['changes', 'drop', join(world.home, '.tool/a')]).code).toBe(0);
    expect(world.names()).toEqual([]);
    expect(world.cordon(['changes', 'drop', './nothing']).code).toBe(125);
  });

  it('apply again says that it is already so, also of what had to be named', () => {
    const world = new World(who);
    world.put('.bashrc', 'old\n');
    world.run('echo "alias x=y" >>~/.bashrc; echo 1 >~/.made', ['--read', world.home]);
    world.cordon(['changes', 'apply', join(world.home, '.bashrc'), join(world.home, '.made')]);
    expect(world.text('.bashrc')).toContain('alias x=y');
    expect(world.cordon(['changes', 'apply'])).toMatchObject({
      code: 0,
      stdout: 'nothing to take over: everything is already so\n',
      stderr: '',
    });
  });

  it('a launch that only made folders says so, not 0; a mistyped word is named', () => {
    const world = new World(who);
    world.run('mkdir ~/.made', ['--read', world.home]);
    expect(world.cordon(['changes']).stdout).toMatch(/ sh +1 folder +/);
    expect(world.cordon(['changes', 'aply'])).toMatchObject({
      code: 125,
      stderr: expect.stringMatching(/changes does not know 'aply'\n.*did you mean apply\?/),
    });
  });

  it('launches and paths are completed', () => {
    const world = new World(who);
    world.run('echo x >~/.made-here', ['--read', world.home]);
    const offered = (...words: readonly string[]) => world.cordon(['completion', 'words', '--', ...words]).stdout;
    expect(offered('changes', 'drop', '')).toContain(world.names()[0]);
    expect(offered('changes', 'apply', '/')).toContain('.made-here');
  });
});

describe('tables on a terminal of 80 columns', () => {
  it('fit, lose nothing, and say ~ for the home', () => {
    const deep = 'code/a-folder-with-a-long-name/and-another-one/deeper-still/project';
    const home = homeWith({
      [`${deep}/compose.yaml`]: 'services:\n  a:\n    environment: [NPM_TOKEN]\n    env_file: x\n',
      '.config/cordon/profiles/mine.json': JSON.stringify({
        meta: { description: 'what this is for, in a sentence that is much longer than the rest of the line is' },
        environment: { allow_vars: ['A_VARIABLE_WITH_A_RATHER_LONG_NAME', 'ANOTHER_VARIABLE_WITH_A_LONG_NAME'] },
      }),
    });
    const cwd = join(home, deep);
    const options = { user, home, cwd };
    runCordon(['run', '--read', home, '--', 'sh', '-c', 'echo x > ~/.a-file-that-is-put-aside'], options);
    runCordon(['run', '--net', 'good.test', '--', 'curl', '-s', 'http://a-host-with-a-long-name.evil.test'], options);
    for (const args of [
      ['audit'],
      ['changes'],
      ['changes', 'show'],
      ['net', 'log'],
      ['check'],
      ['profile', 'list'],
      ['profile', 'show', 'mine'],
    ]) {
      const shown = onTerminal(home, cwd, args);
      const lines = shown.split('\n').map((line) => line.replaceAll(/\x1b\[[0-9;]*m/g, ''));
      expect(
        lines.filter((line) => [...line].length > 80),
        args.join(' '),
      ).toEqual([]);
      expect(shown, args.join(' ')).not.toContain('…');
      expect(shown, args.join(' ')).not.toContain(home);
    }
  });
});

/** On a terminal that does not know its size, which then is 80 columns wide. */
function onTerminal(home: string, cwd: string, args: readonly string[]): string {
  const { uid, gid } = identityOf(user);
  const env = { HOME: home, PATH: '/usr/bin:/bin', TERM: 'xterm' };
  const script = `import os, pty
os.setgid(${gid}); os.setuid(${uid}); os.chdir(${JSON.stringify(cwd)})
os.environ.clear(); os.environ.update(${JSON.stringify(env)})
pty.spawn(${JSON.stringify([cordonProgram(), ...args])})`;
  return execFileSync('python3', ['-c', script], { encoding: 'utf8' }).replaceAll('\r', '');
}

describe('a record that was cut short', () => {
  it('takes no other with it', () => {
    const home = homeWith();
    run(home, 'run', '--', 'true');
    const file = join(home, '.local/state/cordon/audit.jsonl');
    appendFileSync(file, '{"command":"/usr/bin/half","arguments":1,"policy":"defau');
    run(home, 'run', '--', 'sh', '-c', 'exit 3');
    const records = JSON.parse(run(home, 'audit', '--json').stdout) as { command: string; exit: number }[];
    expect(records.map(({ exit }) => exit)).toEqual([0, 3]);
  });
});

describe('what went wrong is said as it is', () => {
  it.each([
    [['run', '--broker', 'GITHUB_TOKEN', '--', 'true'], 'does not say which host gets the value', '--broker @github'],
    [['run', '--broker', 'MY_THING', '--', 'true'], 'does not say which host gets the value', '--broker MY_THING@HOST'],
    [['run', '--net', 'https://api.test/v1', '--', 'true'], 'is a URL, not a host', 'name the host alone: api.test'],
    [['explain', ''], 'an empty word asks for nothing', 'name a variable'],
  ])('%j', (args, message, hint) => {
    const { code, stderr } = run(homeWith(), ...args);
    expect(code).toBe(125);
    expect(stderr).toContain(message);
    expect(stderr).toContain(hint);
  });

  it('an address with a log-in in it is not repeated', () => {
    const { stderr } = run(homeWith(), 'run', '--net', 'https://ada:hunter2@api.test/', '--', 'true');
    expect(stderr).toContain('api.test');
    expect(stderr).not.toContain('hunter2');
  });

  it('what may not be looked at is not called absent', () => {
    const [home, closed] = [homeWith(), freshHome('root')];
    mkdirSync(join(closed, 'in'));
    writeFileSync(join(closed, 'in/p.json'), '{}');
    chmodSync(closed, 0o700);
    expect(run(home, 'run', '--read', join(closed, 'in'), '--', 'true').stderr).toContain('may not be looked at');
    expect(run(home, 'run', '--workspace', join(closed, 'in'), '--', 'true').stderr).toContain('may not be entered');
    expect(run(home, 'run', '--profile', join(closed, 'in/p.json'), '--', 'true').stderr).toContain('may not be read');
    expect(run(home, 'run', '--read', join(home, 'none'), '--', 'true').stderr).toContain('is not there');
  });

  it('a cordon.toml that is broken is told by every run, and one that is fixed by none', () => {
    const home = homeWith({ '.config/cordon/cordon.toml': '[tools.ruff\nenv_base = "none"\n' });
    for (const _ of [1, 2]) {
      const ran = run(home, 'run', '--', 'echo', 'ran');
      expect(ran).toMatchObject({ code: 0, stdout: 'ran\n' });
      expect(ran.stderr).toMatch(/cordon\.toml:\d+:\d+: .*nothing in cordon\.toml is in force/);
    }
    writeFileSync(join(home, '.config/cordon/cordon.toml'), '[tools.ruff]\nenv_base = "none"\n');
    for (const _ of [1, 2, 3]) expect(run(home, 'run', '--', 'echo', 'ran').stderr).not.toContain('cordon.toml');
  });

  it('a table of cordon.toml that is misspelt is told by every run, also beside one that counts', () => {
    for (const rest of ['', '[changes]\ndays = 3\n']) {
      const home = homeWith({ '.config/cordon/cordon.toml': `${rest}[tols.ls]\nenv_base = "none"\n` });
      for (const _ of [1, 2])
        expect(run(home, 'run', '--', 'true').stderr).toMatch(/cordon\.toml:\d+:\d+: unknown key 'tols'/);
    }
  });

  it('a mistake in the policy of one tool is that tool’s business', () => {
    const home = homeWith({ '.config/cordon/cordon.toml': '[tools.ls]\nenv_base = "nine"\n' });
    expect(run(home, 'run', '--', 'true').stderr).not.toContain('cordon.toml');
  });

  it('a full standard output is called that', () => {
    const { code, stderr } = runAs('/bin/sh', ['-c', `${cordonProgram()} explain >/dev/full`], { user });
    expect(stderr).toMatch(/^cordon: standard output cannot be written: no space is left where it leads\n/);
    expect(code).toBe(125);
  });

  it.each(['get', 'show'])('creds %s says that no value is shown, and not to set one', (word) => {
    const { code, stderr } = run(homeWith(), 'creds', word, 'KEY');
    expect(code).toBe(125);
    expect(stderr).toContain('the vault shows no value');
    expect(stderr).not.toContain('creds set');
  });

  it('creds remove is creds rm', () => {
    expect(run(homeWith(), 'creds', 'remove', 'KEY').stderr).toContain('the vault has no KEY');
  });

  it('doctor in a folder that is gone says of the machine what it says elsewhere', () => {
    const home = homeWith();
    const script = `mkdir gone; cd gone; rmdir ../gone; exec ${cordonProgram()} doctor --json`;
    const barrier = (text: string) =>
      (JSON.parse(text).findings as { check: string }[]).find(({ check }) => check === 'barrier');
    const there = barrier(run(home, 'doctor', '--json').stdout);
    expect(barrier(runAs('/bin/sh', ['-c', script], { user, home }).stdout)).toEqual(there);
  });

  const COMMENTED_OUT = '# [tools.ruff]\n#env_base = "none"\n\n# [changes]\n';
  it.each(['', '\n', COMMENTED_OUT])('a cordon.toml that holds %j says nothing', (text) => {
    const home = homeWith({ '.config/cordon/cordon.toml': text, 'work/.git/HEAD': 'ref: refs/heads/main\n' });
    const inWork = () => runCordon(['run', '--', 'true'], { user, home, cwd: join(home, 'work') });
    for (const _ of [1, 2]) expect(inWork()).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(readdirSync(join(home, '.local/state/cordon/plans')), 'the next one starts without Node').toHaveLength(1);
    writeFileSync(join(home, '.config/cordon/cordon.toml'), '[tools.ruff\n');
    expect(inWork().stderr).toContain('nothing in cordon.toml is in force');
  });
});

describe('git push to a repository elsewhere on the disk', () => {
  it('names it with the flag, and with the flag it works', () => {
    const home = homeWith();
    const sh = (script: string) => runAs('/bin/sh', ['-ec', script], { user, home });
    sh(`git init -q --bare store.git; git init -q work; cd work; git remote add origin ../store.git
        git -c user.name=a -c user.email=b commit -q --allow-empty -m x`);
    const push = (...flags: readonly string[]) =>
      runCordon(['run', ...flags, '--', 'git', 'push', '-q', 'origin', 'HEAD:main'], {
        user,
        home,
        cwd: join(home, 'work'),
      });
    const store = join(home, 'store.git');
    const refused = push();
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain(
      `${store}, a remote of this repository, is not shown inside; to reach it: --write ${store}\n`,
    );
    expect(push('--write', store)).toMatchObject({ code: 0, stderr: '' });
    expect(sh('git -C store.git log --oneline main').stdout).toMatch(/ x\n$/);
  });
});

describe('a program that makes a user namespace of its own, as rootless podman does', () => {
  // First with the map of the namespace that it is in, then as its root: where the first works it is nobody.
  const MAP = `import ctypes, os, sys
def written(path, text):
    try: os.write(os.open(path, os.O_WRONLY), text.encode())
    except OSError as error: return error.strerror
outer = open('/proc/self/uid_map').read()
(ready, told), (go, gone) = os.pipe(), os.pipe()
for text in (outer, '0 %d 1' % os.getuid()):
    child = os.fork()
    if child == 0:
        assert ctypes.CDLL(None).unshare(0x10000000) == 0
        os.write(told, b'x'); os.read(go, 1)
        print(os.getuid(), flush=True); os._exit(0)
    os.read(ready, 1)
    print(written('/proc/%d/uid_map' % child, text), flush=True)
    os.write(gone, b'x'); os.waitpid(child, 0)
print(os.path.exists('/etc/subuid'), os.path.exists('/etc/subgid'), os.getuid() == ${identityOf('cordon-test').uid})`;

  it('cannot copy a map that would leave it without a root, and finds no ids that nothing can give', () => {
    const home = homeWith();
    const { stdout, stderr } = run(home, 'run', '--', 'python3', '-c', MAP);
    expect(stdout.split('\n'), stderr).toEqual([
      'Operation not permitted',
      '65534',
      'None',
      '0',
      'False False True',
      '',
    ]);
    expect(run(home, 'explain', '/etc/subuid').stdout).toContain('ids for newuidmap, which has no power inside');
  });
});
