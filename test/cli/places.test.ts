import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cordonProgram, freshHome, type Ran, runAs, runCordon } from '../support/cordon.ts';
import { USERS } from '../support/users.ts';

/** A machine whose /srv nobody else has anything in, with a mount below it. */
const OWN_SRV = `mount -t tmpfs tmpfs /srv && mkdir -p /srv/a/secret /srv/b /srv/disk && echo key >/srv/a/secret/key &&
  echo text >/srv/b/text`;
const DISK_BELOW = `${OWN_SRV} && mount -t tmpfs tmpfs /srv/disk && echo data >/srv/disk/data`;

class Desk {
  readonly home = freshHome('root');
  readonly work = join(this.home, 'work');

  constructor() {
    mkdirSync(join(this.work, 'src'), { recursive: true });
    mkdirSync(join(this.home, 'cordon/profiles'), { recursive: true, mode: 0o700 });
  }

  profile(name: string, content: object): void {
    writeFileSync(join(this.home, 'cordon/profiles', `${name}.json`), JSON.stringify(content), { mode: 0o600 });
  }

  run(...args: string[]): Ran {
    const env = { CORDON_HOME: join(this.home, 'cordon') };
    return runCordon(args, { home: this.home, cwd: this.work, env });
  }

  /** What a command finds in /srv and below. */
  srv(prepare: string, ...flags: string[]): string {
    const script = [prepare, 'exec "$@" -- find /srv'].join(' && ');
    const args = ['-m', 'sh', '-c', script, 'sh', cordonProgram(), 'run', ...flags];
    const { stdout, stderr } = runAs('unshare', args, { home: this.home, cwd: this.work });
    expect(stderr).not.toContain('cordon: warning');
    const [top, ...found] = stdout.trimEnd().split('\n').toSorted();
    expect(top).toBe('/srv');
    return found.join(' ');
  }

  places(...flags: string[]): Record<string, unknown> {
    const { stdout, stderr } = this.run('run', ...flags, '--dry-run', '--json', '--', 'true');
    if (stdout === '') throw new Error(stderr);
    return (JSON.parse(stdout) as { places: Record<string, unknown> }).places;
  }

  refusal(...flags: string[]): string {
    const { code, stderr } = this.run('run', ...flags, '--dry-run', '--', 'true');
    expect(code).toBe(125);
    return stderr;
  }
}

describe('what is hidden and what is let through, of places that hold each other', () => {
  const ALL = '/srv/a /srv/a/secret /srv/a/secret/key /srv/b /srv/b/text /srv/disk';

  test.each([
    ['nothing', OWN_SRV, [], ALL],
    ['all of it', OWN_SRV, ['--hide', '/srv'], ''],
    ['all of it, with a mount below', DISK_BELOW, ['--hide', '/srv'], ''],
    ['a folder beside a mount', DISK_BELOW, ['--hide', '/srv/a'], '/srv/a /srv/b /srv/b/text /srv/disk /srv/disk/data'],
    ['a mount', DISK_BELOW, ['--hide', '/srv/disk'], ALL],
    ['a file on a mount', DISK_BELOW, ['--hide', '/srv/disk/data'], ALL],
    ['all but one folder', OWN_SRV, ['--hide', '/srv', '--expose', '/srv/b'], '/srv/b /srv/b/text'],
    [
      'all but one folder, in a tree from nothing',
      OWN_SRV,
      ['--fs', 'workspace', '--hide', '/srv', '--expose', '/srv/b'],
      '/srv/b /srv/b/text',
    ],
    [
      'all but one folder, of the machine as it is',
      OWN_SRV,
      ['--fs', 'all', '--hide', '/srv', '--expose', '/srv/b'],
      '/srv/b /srv/b/text',
    ],
    [
      'all but one folder of a folder with a mount below it',
      `${DISK_BELOW} && mkdir /srv/a/disk && mount -t tmpfs tmpfs /srv/a/disk`,
      ['--hide', '/srv/a', '--expose', '/srv/a/secret'],
      '/srv/a /srv/a/secret /srv/a/secret/key /srv/b /srv/b/text /srv/disk /srv/disk/data',
    ],
    [
      'a folder in one that is exposed',
      OWN_SRV,
      ['--fs', 'workspace', '--expose', '/srv/a', '--hide', '/srv/a/secret'],
      '/srv/a /srv/a/secret',
    ],
    [
      'a folder in one that is exposed, of the machine as it is',
      OWN_SRV,
      ['--fs', 'all', '--expose', '/srv/a', '--hide', '/srv/a/secret'],
      ALL.replace(' /srv/a/secret/key', ''),
    ],
  ])('%s', (_, prepare, flags, seen) => {
    expect(new Desk().srv(prepare, ...flags)).toBe(seen);
  });

  test('what is made in a hidden folder later is hidden too', () => {
    const desk = new Desk();
    const later = 'echo started && read made && ls -A /srv && cat /srv/new';
    const script = `${OWN_SRV} && mkfifo "$HOME/go" && exec 3<>"$HOME/go" &&
      "$0" run --hide /srv -- sh -c '${later}' <"$HOME/go" | { read started; echo new >/srv/new; echo made >&3; cat; }`;
    const ran = runAs('unshare', ['-m', 'sh', '-c', script, cordonProgram()], { home: desk.home, cwd: desk.work });
    expect(ran.stdout).toBe('');
    expect(ran.stderr).toContain('/srv/new');
  });

  test('a credential that is made later is hidden, also where the whole home is shown', () => {
    const desk = new Desk();
    const later = 'echo started && read made && cat ~/new ~/.netrc ~/.config/gh/hosts.yml ~/.cache/huggingface/token';
    const making = `cd "$HOME" && mkdir -p .config/gh .cache/huggingface && for at in new .netrc .config/gh/hosts.yml \\
      .cache/huggingface/token; do echo $at >$at; done`;
    const script = `mkdir ~/.config ~/.cache && mkfifo ~/go && exec 3<>~/go &&
      "$0" run --read ~ -- sh -c '${later}' <~/go | { read started; ${making}; echo made >&3; cat; }`;
    const ran = runAs('sh', ['-c', script, cordonProgram()], { home: desk.home, cwd: desk.work });
    expect(ran.stdout).toBe('new\n');
  });

  test('one folder of a hidden one in the workspace, and of one that the system has', () => {
    const desk = new Desk();
    mkdirSync(join(desk.work, 'conf/open'), { recursive: true });
    writeFileSync(join(desk.work, 'conf/key'), 'k');
    expect(desk.run('run', '--hide', 'conf', '--expose', 'conf/open', '--', 'find', 'conf').stdout).toBe(
      'conf\nconf/open\n',
    );
    const flags = ['--hide', '/usr/share', '--expose', '/usr/share/misc'];
    expect(desk.run('run', ...flags, '--', 'ls', '-A', '/usr/share').stdout).toBe('misc\n');
  });

  test('a hidden name of the workspace that is a link hides what it leads to there, and tells what it leads to elsewhere', () => {
    const desk = new Desk();
    const make =
      'echo a >real.env && ln -s real.env .env && mkdir conf && echo b >conf/key && ln -s conf also && ln -s /etc/hosts far';
    const script = `${make} && "$0" run --hide .env --hide also/key --hide far -- cat .env real.env also/key conf/key`;
    const { stdout, stderr } = runAs('sh', ['-c', script, cordonProgram()], { home: desk.home, cwd: desk.work });
    expect(stdout).toBe('');
    expect(stderr.match(/Permission denied/g)).toHaveLength(4);
    expect(stderr.match(/warning.*/g)).toEqual([
      `warning: ${desk.work}/far is a link, and a command could have made it; to hide what it leads to as well: --hide /etc/hosts`,
    ]);
  });

  test('nothing that is exposed lifts the guard over Cordon’s own', () => {
    const desk = new Desk();
    writeFileSync(join(desk.home, 'cordon/vault.key'), 'k');
    expect(desk.run('run', '--', 'true').code).toBe(0);
    const script = 'ls cordon/state; cat cordon/vault.key; touch cordon/profiles/a.json cordon/b; echo c >c';
    const { stdout, stderr } = desk.run('run', '--expose', desk.home, '--', 'sh', '-c', `cd .. && { ${script}; }`);
    expect(stdout).toBe('');
    for (const path of ['cordon/state', 'cordon/vault.key', 'cordon/profiles/a.json', 'cordon/b'])
      expect(stderr).toMatch(new RegExp(`'?${path}'?: (Permission denied|Read-only file system)`));
    expect(readFileSync(join(desk.home, 'c'), 'utf8')).toBe('c\n');
  });

  test.each([
    [
      'the folder of policies is a link into it',
      'mkdir -p cordon/profiles && ln -s "$PWD/cordon" ~/.config/cordon',
      'cordon',
    ],
    [
      'the folder of all settings is one',
      'mkdir config && rmdir ~/.config && ln -s "$PWD/config" ~/.config',
      'config/cordon',
    ],
    ['it is the folder of all settings', 'rmdir ~/.config && cd .. && mv work .config && cd .config', 'cordon'],
  ])('nothing can be put among Cordon’s policies by way of a workspace: %s', (_, prepare, policies) => {
    const desk = new Desk();
    mkdirSync(join(desk.home, '.config'));
    const planting = `mkdir -p ${policies}/profiles; touch ${policies}/cordon.toml ${policies}/profiles/a.json here`;
    const script = `git init -q && ${prepare} && "$0" run -- sh -c '${planting}'; find . -name .git -prune -o -type f -print`;
    const ran = runAs('sh', ['-c', script, cordonProgram()], { home: desk.home, cwd: desk.work });
    expect(ran.stdout).toBe('./here\n');
    expect(ran.stderr).toContain('Read-only file system');
    expect(ran.stderr).not.toContain('warning');
  });

  test('a start-up file that is hidden has no copy in its place', () => {
    const desk = new Desk();
    writeFileSync(join(desk.home, '.bashrc'), 'alias a=b\n');
    expect(desk.run('run', '--', 'cat', join(desk.home, '.bashrc')).stdout).toBe('alias a=b\n');
    expect(desk.run('run', '--hide', '~/.bashrc', '--', 'cat', join(desk.home, '.bashrc')).stdout).toBe('');
  });
});

describe('a mount below a place', () => {
  /** A home that lies in a folder of the machine, as they do. */
  const HOME_WITH_DISK = `mount -t tmpfs tmpfs /srv && mkdir -p /srv/you/diary /srv/you/disk /srv/you/site/src /srv/you/site/disk &&
    echo page >/srv/you/diary/page && echo v >/srv/you/.vimrc && export HOME=/srv/you && cd /srv/you/site`;

  function outcome(prepare: string, flags: readonly string[], command: string, afterwards = 'true'): string {
    const desk = new Desk();
    const script = `${prepare} && "$0" run ${flags.join(' ')} -- sh -c '${command}'; ${afterwards}`;
    const ran = runAs('unshare', ['-m', 'sh', '-c', script, cordonProgram()], { home: desk.home, cwd: desk.work });
    return ran.stdout + ran.stderr;
  }

  test.each([
    ['the home', '/srv/you/disk'],
    ['the workspace', '/srv/you/site/disk'],
    ['the workspace, which is one itself', '/srv/you/site'],
  ])('of %s shows nothing more of the home', (_, disk) => {
    const prepare = `${HOME_WITH_DISK} && mount -t tmpfs tmpfs ${disk} && cd /srv/you/site`;
    expect(outcome(prepare, [], 'ls -A /srv/you')).not.toContain('diary');
    expect(outcome(prepare, ['--read', '~/diary'], 'cat ~/diary/page')).toBe('page\n');
  });

  test('leaves the workspace and what is to be written as they are', () => {
    const prepare = `${HOME_WITH_DISK} && mkdir -p /srv/out/in /srv/out/disk && for at in /srv/you/site /srv/you /srv/out; do
      mount -t tmpfs tmpfs $at/disk; done`;
    const command = 'echo a >src/a && echo b >disk/b && echo c >/srv/out/in/c && echo d >~/.vimrc';
    const flags = ['--write', '/srv/out', '--write', '~/.vimrc'];
    expect(outcome(prepare, flags, command, 'cat src/a disk/b /srv/out/in/c ~/.vimrc')).toBe('a\nb\nc\nd\n');
  });

  test('leaves links in the home that are shown, and copies that stand in for one', () => {
    const prepare = `${HOME_WITH_DISK} && mkdir ../dot && echo syntax on >../dot/vimrc && ln -sf dot/vimrc ../.vimrc &&
      printf "[user]\\nname = you\\n[http]\\nextraHeader = token\\n" >../dot/git && ln -s dot/git ../.gitconfig &&
      ln -s diary ../.diary && ln -s diary ../.ssh && mount -t tmpfs tmpfs ../disk`;
    const seen = '.gitconfig\n.vimrc\ndot\nsite\ndot/vimrc\nsyntax on\n[user]\n\tname = "you"\n';
    expect(outcome(prepare, [], 'cd; ls -A; readlink .vimrc; cat .vimrc .gitconfig')).toBe(seen);
  });

  test.each(['--write', '--expose', '--workspace'])('lets %s have a folder of the machine as a whole', (flag) => {
    const command = 'echo a >/srv/b/a; echo b >/srv/disk/b';
    expect(outcome(DISK_BELOW, [flag, '/srv'], command, 'cat /srv/b/a /srv/disk/b')).toMatch(/^a\nb\n/);
  });

  test('leaves /var/tmp the command’s own', () => {
    const prepare = `mount -t tmpfs tmpfs /var/tmp && mkdir /var/tmp/others /var/tmp/disk && mount -t tmpfs tmpfs /var/tmp/disk`;
    expect(outcome(prepare, [], 'ls -A /var/tmp')).toBe('');
  });
});

describe.each(USERS)('what is the command’s own, as %s,', (user) => {
  const run = (...script: string[]) =>
    runAs('sh', ['-c', `umask 077; exec "$0" run -- sh -c "$1"`, cordonProgram(), ...script], { user }).stdout;

  test('is as open as it has to be, whatever is the caller’s umask', () => {
    const folders = ['/tmp', '/var/tmp', '/dev/shm', '/run/lock', '/run', '/run/user', '/dev', '/dev/pts'];
    expect(run(`stat -c %a ${folders.join(' ')}; umask`)).toBe('1777\n1777\n1777\n1777\n755\n755\n755\n755\n0077\n');
  });

  test('is nowhere else, though all of it is kept together', () => {
    const own = ['/tmp', '/var/tmp', '/dev/shm', '/run/lock'];
    const made = own.map((folder, i) => `echo ${i} >${folder}/own${i}`).join(' && ');
    expect(run(`${made} && find ${own.join(' ')} -name 'own*'`)).toBe(own.map((at, i) => `${at}/own${i}\n`).join(''));
    expect(run('touch /dev/made 2>&1 || echo closed; ls -A /tmp/.. | grep -c "^[0-9]*$"')).toContain('closed\n0\n');
  });
});

describe('what is mounted in a second place', () => {
  const TWICE = `mount -t tmpfs tmpfs /srv && mkdir /srv/home /srv/keys /srv/tmp && mount --bind "$HOME" /srv/home &&
    mount --bind "$HOME/.ssh" /srv/keys && mount --bind /tmp /srv/tmp && cd "$HOME/work"`;

  interface Around {
    readonly flags?: string[];
    readonly folder?: string;
    /** What goes on outside at the same time. */
    readonly beside?: string;
  }

  function inSecondPlace(script: string, { flags = [], folder = '.', beside = 'true' }: Around = {}) {
    const desk = new Desk();
    for (const name of ['.ssh', 'notes']) mkdirSync(join(desk.home, name));
    writeFileSync(join(desk.home, '.ssh/id_ed25519'), 'key');
    writeFileSync(join(desk.home, 'notes/mine'), 'notes');
    writeFileSync(join(desk.home, 'cordon/vault.key'), 'vault');
    const start = `${TWICE} && cd ${folder} && { (${beside}) & exec "$@"; }`;
    const args = [start, 'sh', cordonProgram(), 'run', ...flags];
    const env = { CORDON_HOME: join(desk.home, 'cordon') };
    const ran = runAs('unshare', ['-m', 'sh', '-c', ...args, '--', 'sh', '-c', script], { home: desk.home, env });
    return { ...ran, desk };
  }

  test('a home is as closed there', () => {
    const { stdout, desk } = inSecondPlace('ls -A /srv /srv/home /srv/keys; find /srv/tmp -type f; ls -A /srv/tmp');
    // The home of this test lies in there.
    const [, , way] = desk.home.split('/');
    expect(stdout).toBe(`/srv:\nhome\nkeys\ntmp\n\n/srv/home:\n\n/srv/keys:\n${way}\n`);
  });

  test('nothing that is made in it later is seen there', () => {
    const script = 'touch ready; while [ ! -e go ]; do :; done; ls -A /srv/home';
    const beside = 'while [ ! -e ready ]; do :; done; echo new >"$HOME/later"; touch go';
    const { stdout, desk } = inSecondPlace(script, { beside });
    expect(stdout).toBe('');
    expect(readFileSync(join(desk.home, 'later'), 'utf8')).toBe('new\n');
  });

  test('what is written there is new, also where it is what it would be in the home', () => {
    const { desk } = inSecondPlace('mkdir /srv/home/notes && umask 022 && printf notes >/srv/home/notes/mine');
    const env = { CORDON_HOME: join(desk.home, 'cordon') };
    const { stdout } = runAs(cordonProgram(), ['changes', '--json'], { home: desk.home, env });
    expect(JSON.parse(stdout).launches).toMatchObject([{ files: 1 }]);
  });

  test('a home that is read as a whole', () => {
    const { stdout } = inSecondPlace('cat /srv/home/.ssh/* /srv/keys/* ~/.ssh/*; cat ~/notes/mine', {
      flags: ['--read', '~', '--read', '/srv'],
    });
    expect(stdout).toBe('notes');
  });

  test('work goes on in one that is entered that way', () => {
    const { stdout, desk } = inSecondPlace('pwd; ls -A ..; echo made >made', { folder: '/srv/home/work' });
    expect(stdout).toBe('/srv/home/work\nwork\n');
    expect(readFileSync(join(desk.work, 'made'), 'utf8')).toBe('made\n');
  });

  test('Cordon’s own, on a machine that is shown as it is', () => {
    const script = 'cd /srv/home/cordon; cat vault.key; ls state; echo x >profiles/a.json; echo x >cordon.toml';
    const { stdout, stderr } = inSecondPlace(script, { flags: ['--fs', 'all'] });
    expect(stdout).toBe('');
    expect(stderr.match(/Permission denied|Read-only file system/g)).toHaveLength(4);
  });
});

describe.each(USERS)('what people name is a path and no pattern, as %s:', (user) => {
  /** What a command can read and what it leaves behind, of folders whose names a pattern would mix up. */
  function outcome(flags: readonly string[], without = ''): string[] {
    const command = 'cat ../a*/file 2>/dev/null; for at in ../a*; do echo new >"$at/file"; done';
    const script = `mkdir -p work 'a*' ab 'a\\*' && for name in a*; do echo "$name" >"$name/file"; done
      rm -rf ${without} && cd work && "$0" "$@" -- sh -c '${command}' 2>/dev/null
      cd .. && grep -l new a*/file`;
    const { stdout } = runAs('sh', ['-c', script, cordonProgram(), 'run', ...flags], { user });
    return stdout.trimEnd().split('\n');
  }

  test.each(['a*', 'a\\*'])('%s', (name) => {
    const path = `~/${name}`;
    expect(outcome(['--write', path])).toEqual([name, `${name}/file`]);
    expect(outcome(['--read', path])).toEqual([name]);
    expect(outcome(['--expose', path])).toEqual([name, `${name}/file`]);
    const others = ['a*', 'a\\*', 'ab'].filter((one) => one !== name);
    expect(outcome(['--read', '~', '--hide', path])).toEqual(others);
  });

  test('one that is not there stands for no other', () => {
    expect(outcome(['--write', '~/a*'], "'a*'")).toEqual(['']);
    expect(outcome(['--read', '~', '--hide', '~/a*'], "'a*'")).toEqual(['a\\*', 'ab']);
  });

  test('a home with a star in its name', () => {
    const prepare =
      'mkdir -p h/.aws h/work && echo key | tee h/.aws/credentials >h/a.kdbx && echo v >h/.vimrc && mv h "h*"';
    const script = `${prepare} && cd "h*/work" && HOME=\${PWD%/work} && "$0" run --read ~ -- sh -c "cd; cat .vimrc .aws/credentials a.kdbx"`;
    const { stdout, stderr } = runAs('sh', ['-c', script, cordonProgram()], { user });
    expect(stdout).toBe('v\n');
    expect(stderr).toMatch(/credentials.*No such file.*\n.*kdbx.*No such file/);
  });
});

describe('a name that is too long to be there is not there', () => {
  const LONG = 'n'.repeat(300);
  /** Absent names are covered while the command runs already. */
  const COUNT = ['sh', '-c', 'i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done; echo $i'];

  test.each([
    ['--hide', `~/${LONG}`],
    ['--hide', `~/${LONG}/${LONG}`],
    ['--hide', `${LONG}`, '--workspace', 'aside'],
    ['--write', `~/${LONG}`],
    ['--read', `/srv/${LONG}`],
    ['--expose', `${LONG}`],
  ])('%s', (...flags) => {
    const { stdout, stderr } = new Desk().run('run', ...flags, '--', ...COUNT);
    expect(stderr).toMatch(/^cordon: warning: \/.*n is not there(?:; make it first .*)?\n$/);
    expect(stdout).toBe('200000\n');
  });

  test.each(USERS)('one that a variable names, as %s', (user) => {
    const home = freshHome(user);
    const env = { HISTFILE: join(home, LONG), XDG_CONFIG_HOME: join(home, LONG), XDG_CACHE_HOME: `/${LONG}` };
    expect(runCordon(['run', '--', ...COUNT], { user, home, env })).toMatchObject({ code: 0, stdout: '200000\n' });
  });
});

describe.each(USERS)('a workspace in which nothing is written for real, as %s:', (user) => {
  /** What the files of a workspace with a credential in it say after a command that writes them all. */
  function written(...flags: string[]): Ran & { readonly after: string } {
    const home = freshHome(user);
    const script = `mkdir -p work/src && cd work && echo old | tee .env >src/file && { "$0" "$@" -- sh -c '
      cat .env && echo new >.env; echo new >src/file; true'; code=$?; cat .env src/file >../after; exit $code; }`;
    const env = { NPM_CONFIG_USERCONFIG: join(home, 'work/.env') };
    const ran = runAs('sh', ['-c', script, cordonProgram(), 'run', ...flags], { user, home, env });
    return { ...ran, after: readFileSync(join(home, 'after'), 'utf8') };
  }

  test.each([
    ['nothing is exposed', 'aside', []],
    ['nothing is exposed', 'read-only', []],
    ['a file is exposed', 'aside', ['--expose', '.env']],
    ['a file is exposed', 'read-only', ['--expose', '.env']],
    ['all of it is exposed', 'aside', ['--expose', '.']],
    ['all of it is exposed', 'read-only', ['--expose', '.']],
    ['what holds it is to be written', 'aside', ['--write', '..', '--expose', '.env']],
    ['what holds it is exposed', 'read-only', ['--expose', '..']],
  ])('%s, %s', (_, mode, flags) => {
    const { stdout, after } = written('--workspace', mode, ...flags);
    expect(after).toBe('old\nold\n');
    expect(stdout).toBe(flags.includes('--expose') ? 'old\n' : '');
  });

  test('a folder in it that is to be written', () => {
    expect(written('--workspace', 'read-only', '--write', 'src').after).toBe('old\nnew\n');
  });

  test.each(['aside', 'read-only'])('it is not to be written itself, %s', (mode) => {
    const { code, stderr, after } = written('--workspace', mode, '--write', '.');
    expect(stderr).toContain(`is the workspace: --write and --workspace ${mode} do not go together`);
    expect({ code, after }).toEqual({ code: 125, after: 'old\nold\n' });
  });
});

describe('places as flags of run', () => {
  test('paths from the root, from here, from home and from the working folder', () => {
    const desk = new Desk();
    const flags = ['--write', 'src', '--write', '~/out', '--read=$HOME/notes', '--hide', '$WORKDIR/.env'];
    expect(desk.places(...flags, '--expose', '/srv/x/', '--workspace', '.', '--workspace', 'aside')).toEqual({
      preset: 'guarded',
      write: [join(desk.work, 'src'), join(desk.home, 'out')],
      read: [join(desk.home, 'notes')],
      hide: [join(desk.work, '.env')],
      expose: ['/srv/x'],
      workspace: { folder: desk.work, mode: 'aside' },
    });
  });

  test('they are laid over a profile', () => {
    const desk = new Desk();
    desk.profile('web', { filesystem: { write: ['/a'], hide: ['/h', '/k'], expose: ['/e'], workspace: 'aside' } });
    const flags = ['--write', '/b', '--expose', '/h', '--hide', '/e', '--workspace', 'src'];
    expect(desk.places('--profile', 'web', ...flags)).toMatchObject({
      write: ['/a', '/b'],
      hide: ['/k', '/e'],
      expose: ['/h'],
      workspace: { folder: join(desk.work, 'src'), mode: 'aside' },
    });
    expect(desk.refusal('--profile', 'web', '--write', '/h')).toContain(
      '/h is listed under hide (profile web) and under write (flag --write)',
    );
  });

  test('the workspace that is named can be written also in a folder that is read, on the machine as it is', () => {
    const desk = new Desk();
    const flags = ['--fs', 'all', '--read', desk.home, '--workspace', desk.work];
    expect(desk.run('run', ...flags, '--', 'sh', '-c', 'echo a >a; echo b >../b').stderr).toMatch(
      /b: Read-only file system/,
    );
    expect(readFileSync(join(desk.work, 'a'), 'utf8')).toBe('a\n');
  });

  test('every folder of settings that variables move is closed like the home', () => {
    const desk = new Desk();
    const moved = { CONFIG: 'c', DATA: 'd', STATE: 's', CACHE: 'k' };
    const env = Object.fromEntries(Object.entries(moved).map(([name, at]) => [`XDG_${name}_HOME`, `/srv/${at}`]));
    const files = Object.values(moved).map((at) => `/srv/${at}/odd/token`);
    const script = `mount -t tmpfs tmpfs /srv && cd /srv && mkdir -p c/odd d/odd s/odd k/odd && chmod 700 * &&
      for f in ${files.join(' ')}; do echo "$f" >$f; done; cd "$HOME/work" && exec "$0" run -- cat ${files.join(' ')}`;
    const { stdout } = runAs('unshare', ['-m', 'sh', '-c', script, cordonProgram()], { home: desk.home, env });
    expect(stdout).toBe('');
  });

  test('dry-run and explain tell them in words', () => {
    const desk = new Desk();
    const flags = ['--write', '/srv', '--hide', '/opt', '--workspace', 'read-only'];
    const said = ['write      /srv', 'hide       /opt', 'workspace  read-only'];
    const indented = said.map((line) => `  ${line}\n`).join('');
    expect(desk.run('run', ...flags, '--dry-run', '--', 'true').stdout).toContain(indented);
    expect(desk.run('explain', ...flags).stdout).toContain(`${said.join('\n')}\n`);
  });

  test('what is kept away needs the barrier; what is let through needs nothing', () => {
    const desk = new Desk();
    const filter = ['--isolation', 'filter'];
    for (const flags of [
      ['--hide', '/srv'],
      ['--workspace', 'aside'],
      ['--workspace', 'read-only'],
    ])
      expect(desk.refusal(...filter, ...flags)).toContain('isolation filter cannot hold this');
    const wider = ['--write', '/srv', '--read', '/opt', '--expose', '~/.netrc', '--workspace', '.'];
    expect(desk.run('run', ...filter, ...wider, '--', 'true').code).toBe(0);
  });

  test('read and write of one path: write wins with a warning', () => {
    const desk = new Desk();
    const { stderr } = desk.run('run', '--read', '/srv', '--write', '/srv', '--dry-run', '--', 'true');
    expect(stderr).toContain('/srv is listed under read (flag --read) and under write (flag --write): it is writable');
  });

  test.each([
    [['--write', ''], '--write: a path is empty'],
    [['--read', '/a/$B'], "--read: '/a/$B' has a $ that nothing expands"],
    [['--write', '~nobody/x'], 'is not an absolute path'],
    [['--hide', '/'], '/ cannot be hidden'],
    [['--hide', '/x', '--write', '/x'], 'under hide (flag --hide) and under write (flag --write)'],
    [['--hide', '/x', '--expose', '/x/'], 'under hide (flag --hide) and under expose (flag --expose)'],
    [['--hide', '.', '--workspace', '.'], 'under hide (flag --hide) and under workspace (flag --workspace)'],
    [['--workspace', ''], '--workspace: a path is empty'],
    [['--workspace', 'asdie'], 'did you mean aside?'],
    [['--workspace', 'aside', '--workspace', 'read-only'], 'do not go together'],
    [['--workspace', 'src', '--workspace', '.'], 'do not go together'],
    [['--workspace', '~'], 'it is the home folder'],
    [['--workspace', '..'], 'it is the home folder'],
    [['--workspace', '../..'], 'lies in it'],
    [['--workspace', '/'], 'lies in it'],
    [['--workspace', '/etc/passwd'], 'it is not a folder'],
    [['--workspace', 'gone'], 'there is no folder'],
    [['--wriet', '/x'], 'did you mean --write?'],
  ])('%j is refused', (flags, message) => expect(new Desk().refusal(...flags)).toContain(message));

  test('a link to the home is the home', () => {
    const desk = new Desk();
    symlinkSync(desk.home, join(desk.work, 'all'));
    expect(desk.refusal('--workspace', 'all')).toContain('it is the home folder');
  });

  test('a workspace of a profile is looked at too', () => {
    const desk = new Desk();
    desk.profile('web', { filesystem: { workspace: '/etc/passwd' } });
    expect(desk.refusal('--profile', 'web')).toMatch(/profile web: .*it is not a folder/);
    desk.profile('dark', { filesystem: { workspace: '$WORKDIR/src', hide: ['$WORKDIR/src'] } });
    expect(desk.refusal('--profile', 'dark')).toMatch(/under hide \(.*dark.json.*\) and under workspace \(.*dark.json/);
  });

  test('a hidden folder is not the workspace, one in it may be', () => {
    const desk = new Desk();
    mkdirSync(join(desk.home, '.ssh'));
    symlinkSync('work/src', join(desk.home, 'source'));
    const message = /the workspace .* is hidden: give another folder, or leave out what hides it/;
    for (const flags of [
      ['--workspace', '~/.ssh'],
      ['--hide', '~/source', '--workspace', 'src'],
    ])
      expect(desk.run('run', ...flags, '--', 'true')).toMatchObject({
        code: 125,
        stderr: expect.stringMatching(message),
      });
    expect(desk.run('run', '--expose', '~/.ssh', '--workspace', '~/.ssh', '--', 'ls').code).toBe(0);
    desk.run('run', '--hide', '.', '--workspace', 'src', '--', 'touch', 'src/made');
    expect(existsSync(join(desk.work, 'src/made'))).toBe(true);
  });
});

test('profile show and diff have the words', () => {
  const desk = new Desk();
  desk.profile('web', { filesystem: { write: ['/a'], workspace: { folder: '/w', mode: 'aside' } } });
  const { stdout } = desk.run('profile', 'show', 'web');
  expect(stdout).toMatch(/^filesystem\.write +\/a /m);
  expect(stdout).toMatch(/^filesystem\.workspace\.folder +\/w /m);
  expect(stdout).toMatch(/^filesystem\.workspace\.mode +aside /m);
  expect(desk.run('profile', 'diff', 'default', 'web').stdout).toMatch(/filesystem\.workspace\.mode +.*aside/);
});

test('completion offers the words and the modes of a workspace', () => {
  const desk = new Desk();
  const offered = (...line: string[]) => desk.run('completion', 'words', '--', ...line).stdout.split('\n');
  expect(offered('run', '--wr').map((line) => line.split('\t')[0])).toContain('--write');
  expect(offered('run', '--hide', '')).toEqual([':file', '']);
  expect(offered('run', '--workspace', '')).toEqual(['real', 'aside', 'read-only', ':folder', '']);
  expect(offered('tool', 'config', 'true', 'fs', '')).toEqual(expect.arrayContaining(['write', 'expose', 'workspace']));
});
