import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openFolder } from '../support/project.ts';
import { identityOf, ONLY_ROOT, USERS, type User } from '../support/users.ts';
import { programs, type Ran, without } from './support.ts';

/** A home with a workspace in it, and the launcher where every user may run it. */
class Scene {
  readonly root = openFolder('places');
  readonly home: string;
  readonly work: string;
  readonly #ids;

  constructor(user: User, name = 'home') {
    this.#ids = identityOf(user);
    this.home = join(this.root, name);
    this.work = join(this.home, 'code/app');
    spawnSync('cp', [join(programs(), 'cordon-launch'), join(this.root, 'launch')]);
    this.put('.ssh/id', 'KEY');
    this.put('.gitconfig', 'GIT');
    this.put('.unlisted/token', 'UNLISTED');
    this.put('.tools/settings', 'SETTINGS');
    this.put('.tools/credentials', 'CREDENTIALS');
    this.put('Documents/a.md', 'DOCUMENT');
    this.put('code/app/file', 'WORK');
    this.put('code/other/.env', 'OTHER');
  }

  put(path: string, text: string): string {
    const whole = join(this.home, path);
    mkdirSync(dirname(whole), { recursive: true });
    writeFileSync(whole, text);
    spawnSync('chown', ['-R', `${this.#ids.uid}:${this.#ids.gid}`, this.home]);
    return whole;
  }

  lines(): string[] {
    return [
      'root machine',
      'cut /',
      'private /tmp 1777',
      'private /var/tmp 1777',
      'run',
      `home ${field(this.home)}`,
      `show ${[...'.gitconfig .tools .absent'.split(' ')].map((name) => field(join(this.home, name))).join(' ')}`,
      `hide ${['.ssh', '.tools/credentials', '.later', '.absent/credentials'].map((name) => field(join(this.home, name))).join(' ')}`,
      'workspace here real',
      'proc',
      'dev',
      'mention',
    ];
  }

  run(
    script: string,
    lines = this.lines(),
    { cwd = this.work, before = [] as readonly string[], args = [] as readonly string[], path = '/usr/bin:/bin' } = {},
  ): Ran {
    const plan = join(this.root, 'plan');
    const head = [
      'cordon-plan 2',
      'name t',
      'allow *',
      'command /bin/sh',
      'arg sh',
      'append-args',
      'isolation barrier',
    ];
    writeFileSync(plan, [...head, ...lines, 'end', ''].join('\n'));
    chownSync(plan, this.#ids.uid, this.#ids.gid);
    const [program = '', ...words] = [...before, join(this.root, 'launch'), plan, '-c', script, ...args];
    const { status, stdout, stderr } = spawnSync(program, words, {
      ...this.#ids,
      cwd,
      env: { PATH: path, HOME: this.home, PWD: cwd },
      encoding: 'utf8',
    });
    return { code: status, stdout, stderr };
  }
}

const field = (text: string) => text.replace(/\\/g, '\\\\').replace(/ /g, '\\s').replace(/\n/g, '\\n');

describe.each(USERS)('places, as %s:', (user) => {
  it('of the home only what is shown is there, and what is hidden is not', () => {
    const scene = new Scene(user);
    const { stdout } = scene.run(
      'cd; ls -A . .tools code code/app; cat .ssh/id .unlisted/token .tools/credentials 2>&1',
    );
    expect(stdout).toBe(
      [
        ...[
          '.:',
          '.gitconfig',
          '.tools',
          'code',
          '',
          '.tools:',
          'settings',
          '',
          'code:',
          'app',
          '',
          'code/app:',
          'file',
        ],
        ...['.ssh/id', '.unlisted/token', '.tools/credentials'].map(
          (path) => `cat: ${path}: No such file or directory`,
        ),
        '',
      ].join('\n'),
    );
  });

  it('what is written outside the workspace does not land, what is written inside does', () => {
    const scene = new Scene(user);
    const { code, stdout } = scene.run(
      'cd; echo x >.new && echo y >.gitconfig && mkdir .ssh && echo z >.ssh/id && rm -r .tools && cat .new .gitconfig .ssh/id && echo w >code/app/file; echo t >/tmp/landed-$$; ls -d .tools',
    );
    expect({ code, stdout }).toEqual({ code: 2, stdout: 'x\ny\nz\n' });
    expect(existsSync(join(scene.home, '.new'))).toBe(false);
    expect(
      ['.gitconfig', '.ssh/id', '.tools/settings', 'code/app/file'].map((path) =>
        readFileSync(join(scene.home, path), 'utf8'),
      ),
    ).toEqual(['GIT', 'KEY', 'SETTINGS', 'w\n']);
    expect(readdirSync('/tmp').filter((name) => name.startsWith('landed-'))).toEqual([]);
  });

  it('names that were absent stay absent when they are made meanwhile', () => {
    const scene = new Scene(user);
    const plan = [...scene.lines(), `write ${scene.home}/Documents`];
    const script = 'cd; while [ ! -e Documents/go ]; do :; done; cat .later .absent/credentials .tools/credentials';
    spawnSync('sh', [
      '-c',
      `(while [ ! -e ${scene.home}/Documents/ready ]; do :; done; echo L >${scene.home}/.later; mkdir ${scene.home}/.absent; echo A >${scene.home}/.absent/credentials; touch ${scene.home}/Documents/go) >/dev/null 2>&1 &`,
    ]);
    const { stdout } = scene.run(`cd; touch Documents/ready; ${script}`, plan);
    expect(stdout).toBe('');
    expect(readFileSync(join(scene.home, '.later'), 'utf8')).toBe('L\n');
  });

  it('what a hidden name leads to is hidden as well, where it is', () => {
    const scene = new Scene(user);
    scene.put('.tools/kept/key', 'KEY');
    scene.put('.tools/store/deep/token', 'TOKEN');
    symlinkSync('kept/key', join(scene.home, '.tools/link'));
    symlinkSync('store', join(scene.home, '.tools/way'));
    const names = ['.tools/link', '.tools/way/deep/token'].map((name) => join(scene.home, name)).join(' ');
    const script = 'cd ~/.tools; cat settings kept/key store/deep/token link way/deep/token 2>/dev/null';
    expect(scene.run(script).stdout).toBe('SETTINGSKEYTOKENKEYTOKEN');
    expect(scene.run(script, [...scene.lines(), `hide ${names}`]).stdout).toBe('SETTINGS');
  });

  it('sockets and pipes of the host lead nowhere, whoever listens', async () => {
    const scene = new Scene(user);
    const server = createServer((socket) => socket.end('ANSWER')).listen(join(scene.home, '.tools/s.sock'));
    await new Promise((resolve) => server.once('listening', resolve));
    chmodSync(join(scene.home, '.tools/s.sock'), 0o777);
    const connect = `python3 -c "import socket; s=socket.socket(socket.AF_UNIX); s.connect('$HOME/.tools/s.sock'); print(s.recv(9).decode())"`;
    const refused = scene.run(connect);
    expect(refused.stdout + refused.stderr).toContain('ConnectionRefusedError');
    const run = await new Promise<Ran>((resolve) => {
      setImmediate(() => resolve(scene.run('true', scene.lines())));
    });
    expect(run.code).toBe(0);
    server.close();
  });

  it('a link is never followed to what a policy writes or reads', () => {
    const scene = new Scene(user);
    symlinkSync(join(scene.home, '.ssh'), join(scene.home, '.agent'));
    for (const word of ['write', 'read', 'try-write', 'try-read', 'expose-write'])
      for (const path of ['.agent', '.agent/id']) {
        const { code, stdout, stderr } = scene.run('cat ~/.agent/id ~/.agent', [
          ...scene.lines(),
          `${word} ${scene.home}/${path}`,
        ]);
        expect(stderr).toContain(`${scene.home}/.agent is a link to ${scene.home}/.ssh`);
        expect({ code, stdout }).toEqual({ code: 125, stdout: '' });
      }
  });

  it('what is exposed comes through a hidden folder, and nothing beside it', () => {
    const scene = new Scene(user);
    scene.put('.ssh/known_hosts', 'HOSTS');
    const { stdout } = scene.run('cd; ls -A .ssh; cat .ssh/known_hosts', [
      ...scene.lines(),
      `expose-write ${scene.home}/.ssh/known_hosts`,
    ]);
    expect(stdout).toBe('known_hosts\nHOSTS');
  });

  it('a hidden file in the workspace is unreadable, not empty, and cannot be dodged by renaming', () => {
    const scene = new Scene(user);
    scene.put('code/app/sub/.env', 'SECRET');
    const plan = [...scene.lines(), `hide ${scene.work}/sub/.env`];
    const { stdout, stderr } = scene.run('cat sub/.env; mv sub gone; cat gone/.env; rm -f sub/.env; ls -A sub', plan);
    expect(stdout).toBe('.env\n');
    expect(stderr).toContain('Permission denied');
    expect(readFileSync(join(scene.work, 'sub/.env'), 'utf8')).toBe('SECRET');
  });

  it('nothing of it can be taken away from inside', () => {
    const scene = new Scene(user);
    const { stdout } = scene.run(
      'for m in / /tmp /dev /proc "$HOME" "$PWD"; do umount -l "$m" 2>/dev/null && echo "$m"; done; mount -o remount,rw / 2>/dev/null && echo rw; unshare -rm sh -c "umount -l $HOME && cat $HOME/.ssh/id" 2>/dev/null; grep -c . /proc/self/status >/dev/null; grep CapEff /proc/self/status',
    );
    expect(stdout).toBe('CapEff:\t0000000000000000\n');
  });

  it('an argument that is there outside and not inside is mentioned', () => {
    const scene = new Scene(user);
    const { stderr } = scene.run('true', scene.lines(), {
      args: [
        'sh',
        join(scene.home, 'Documents/a.md'),
        '/etc/passwd',
        'file',
        'nothing',
        `--of=${scene.home}/Documents`,
      ],
    });
    expect(stderr).toBe(
      [`${scene.home}/Documents/a.md`, `${scene.home}/Documents`]
        .map((path) => `cordon: t: ${path} is not shown inside; to show it: cordon tool config t fs read ${path}\n`)
        .join(''),
    );
  });

  it.each(['with space', 'comma,colon:', 'back\\slash', 'ünïcode', 'new\nline', '-dash', 'x'.repeat(200)])(
    'a home called %j',
    (name) => {
      const scene = new Scene(user, name);
      const { code, stdout, stderr } = scene.run('cat ~/.gitconfig; ls -A ~; echo x >~/.new; echo y >new');
      expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'GIT.gitconfig\n.tools\ncode\n', stderr: '' });
      expect([existsSync(join(scene.home, '.new')), existsSync(join(scene.work, 'new'))]).toEqual([false, true]);
    },
  );

  it('a home that is a link, with its name in the plan', () => {
    const scene = new Scene(user);
    symlinkSync(scene.home, join(scene.root, 'link'));
    const lines = scene.lines().map((line) => line.replaceAll(scene.home, join(scene.root, 'link')));
    const { stdout } = scene.run(
      `ls -A ${scene.root}/link/ ${scene.home}; cat ${scene.root}/link/.ssh/id 2>/dev/null`,
      lines,
    );
    expect(stdout).toBe(`${scene.home}:\n.gitconfig\n.tools\ncode\n\n${scene.root}/link/:\n.gitconfig\n.tools\ncode\n`);
  });

  it('started in the home, above it or in / there is no workspace, and a line says so', () => {
    const scene = new Scene(user);
    mkdirSync(join(scene.home, '.git'));
    for (const cwd of [scene.home, '/']) {
      const { code, stderr } = scene.run('touch ~/landed; echo >>~/.gitconfig', scene.lines(), { cwd });
      expect(stderr).toContain('no workspace here');
      expect(code).toBe(0);
    }
    expect(existsSync(join(scene.home, 'landed'))).toBe(false);
    expect(readFileSync(join(scene.home, '.gitconfig'), 'utf8')).toBe('GIT');
  });

  it('a repository around the working folder is the workspace, its hooks are not to be written', () => {
    const scene = new Scene(user);
    scene.put('code/app/.git/HEAD', 'ref: refs/heads/main\n');
    scene.put('code/app/.git/hooks/pre-commit', 'HOOK');
    scene.put('code/app/deep/er/file', '');
    const { stdout } = scene.run(
      'cat ../../file; (echo E >../../.git/hooks/pre-commit; mv ../../.git ../../old) 2>/dev/null; echo new >../../new',
      scene.lines(),
      { cwd: join(scene.work, 'deep/er') },
    );
    expect(stdout).toBe('WORK');
    expect(readFileSync(join(scene.work, '.git/hooks/pre-commit'), 'utf8')).toBe('HOOK');
    expect(existsSync(join(scene.work, 'new'))).toBe(true);
  });

  it('a git directory elsewhere comes in only if it points back', () => {
    const scene = new Scene(user);
    const main = join(scene.home, 'code/main/.git');
    scene.put('code/main/.git/HEAD', 'ref: refs/heads/main\n');
    scene.put('code/main/.git/config', '');
    scene.put('code/main/.git/objects/x', '');
    scene.put('code/main/.git/refs/x', '');
    scene.put('code/main/.git/worktrees/app/commondir', '../..\n');
    scene.put('code/app/.git', `gitdir: ${main}/worktrees/app\n`);
    const look = `cat ${main}/HEAD`;
    expect(scene.run(look).code).toBe(1);
    scene.put('code/main/.git/worktrees/app/gitdir', `${scene.home}/code/else/.git\n`);
    expect(scene.run(look).code).toBe(1);
    scene.put('code/main/.git/worktrees/app/gitdir', `${scene.work}/.git\n`);
    expect(scene.run(look).stdout).toBe('ref: refs/heads/main\n');
    spawnSync('sh', ['-c', `rm ${main}/worktrees/app/commondir && mkfifo ${main}/worktrees/app/commondir`]);
    expect(scene.run(look).code).toBe(1);
  });

  it('a worktree that a command made up brings in nothing', () => {
    const scene = new Scene(user);
    scene.put('code/app/.git/HEAD', 'ref: refs/heads/main\n');
    scene.put('code/app/sub/.git', `gitdir: ${scene.work}/evil\n`);
    scene.put('code/app/evil/gitdir', `${scene.work}/sub/.git\n`);
    scene.put('code/app/evil/commondir', '../..\n');
    const { stdout } = scene.run('cat ../../other/.env; echo x >../../other/new', scene.lines(), {
      cwd: join(scene.work, 'sub'),
    });
    expect(stdout).toBe('');
    expect(existsSync(join(scene.home, 'code/other/new'))).toBe(false);
  });

  it('links in folders of PATH, and of dotfiles, show nothing that a command chose', () => {
    const scene = new Scene(user);
    scene.put('code/app/bin/real', '');
    symlinkSync('../../../Documents/a.md', join(scene.work, 'bin/tool'));
    symlinkSync('../../Documents', join(scene.work, 'linked'));
    scene.put('dotfiles/.git/HEAD', '');
    symlinkSync('../Documents', join(scene.home, 'dotfiles/vim'));
    symlinkSync('dotfiles/vim', join(scene.home, '.vim'));
    const lines = [...scene.lines(), 'show-programs', `show ${scene.home}/.vim`];
    const path = [`${scene.work}/bin`, `${scene.work}/linked`, '/usr/bin', '/bin'].join(':');
    const { stdout } = scene.run('cat ~/Documents/a.md ~/.vim/a.md', lines, { path });
    expect(stdout).toBe('');
    scene.put('.local/share/x/bin/prog', 'PROGRAM');
    chmodSync(join(scene.home, '.local/share/x/bin/prog'), 0o755);
    scene.put('.local/bin/other', '');
    symlinkSync('../share/x/bin/prog', join(scene.home, '.local/bin/prog'));
    const shown = scene.run('cat ~/.local/bin/prog', lines, { path: `${scene.home}/.local/bin:/usr/bin:/bin` });
    expect(shown.stdout).toBe('PROGRAM');
  });

  it('a link out of a project does not say what the workspace is, and one of the person elsewhere does', () => {
    const scene = new Scene(user);
    scene.put('code/app/.git/HEAD', 'ref: refs/heads/main\n');
    scene.put('private/diary', 'SECRET');
    symlinkSync('../../private', join(scene.work, 'docs'));
    const led = scene.run('cat diary; echo x >new', scene.lines(), { cwd: join(scene.work, 'docs') });
    expect(led.stdout).toBe('');
    expect(led.stderr).toContain('code/app/docs is a link out of the project around it');
    expect(existsSync(join(scene.home, 'private/new'))).toBe(false);
    symlinkSync('private', join(scene.home, 'mine'));
    expect(scene.run('cat diary', scene.lines(), { cwd: join(scene.home, 'mine') }).stdout).toBe('SECRET');
  });

  it('a program that is a link into a project shows the project without what is for its people', () => {
    const scene = new Scene(user);
    scene.put('code/shop/cli.js', 'PROGRAM');
    chmodSync(join(scene.home, 'code/shop/cli.js'), 0o755);
    for (const name of ['.env', '.env.local', '.git/config', 'secrets.yml', 'server.key', 'credentials.json'])
      scene.put(`code/shop/${name}`, 'SECRET');
    scene.put('code/shop/lib/part.js', 'PART');
    scene.put('.local/bin/other', '');
    symlinkSync('../../code/shop/cli.js', join(scene.home, '.local/bin/shop'));
    const look = 'cd ~/code/shop; cat cli.js lib/part.js; find . -type f | xargs grep -l SECRET | sort';
    const seen = (...more: string[]) =>
      scene.run(look, [...scene.lines(), 'show-programs', ...more], {
        path: `${scene.home}/.local/bin:/usr/bin:/bin`,
      }).stdout;
    expect(seen()).toBe('PROGRAMPART');
    expect(seen(`read ${scene.home}/code/shop`)).toContain('./.env\n');
    expect(seen(`expose-read ${scene.home}/code/shop/.env`)).toBe('PROGRAMPART./.env\n');
  });

  it('links in a folder of another project that is on PATH show nothing, though the folder is there', () => {
    const scene = new Scene(user);
    const document = join(scene.home, 'Documents/a.md');
    chmodSync(document, 0o755);
    for (const folder of ['other/venv/bin', 'code/other/bin', '.dotfiles/bin']) scene.put(`${folder}/tool`, 'TOOL');
    scene.put('.dotfiles/.git/HEAD', '');
    for (const folder of ['other/venv/bin', 'code/other/bin', '.dotfiles/bin'])
      symlinkSync(document, join(scene.home, folder, 'x'));
    symlinkSync(join(scene.home, 'Documents'), join(scene.home, 'other/linked'));
    const seen = (folder: string) =>
      scene.run(`cat ${document}; cat ~/${folder}/tool`, [...scene.lines(), 'show-programs'], {
        path: `${scene.home}/${folder}:/usr/bin:/bin`,
      }).stdout;
    for (const folder of ['other/venv/bin', 'code/other/bin', '.dotfiles/bin']) expect(seen(folder)).toBe('TOOL');
    expect(seen('other/linked')).toBe('');
  });

  it('a link where programs are installed shows a program with what is around it, and nothing for the sake of a document', () => {
    const scene = new Scene(user);
    const link = (target: string, name: string) => symlinkSync(target, join(scene.home, '.local/bin', name));
    const program = (path: string) => {
      scene.put(path, 'PROGRAM');
      chmodSync(join(scene.home, path), 0o755);
    };
    scene.put('.local/bin/other', '');
    const seen = (command: string) =>
      scene.run(command, [...scene.lines(), 'show-programs'], { path: `${scene.home}/.local/bin:/usr/bin:/bin` })
        .stdout;
    link('../../Documents/a.md', 'document');
    expect(seen('cat ~/Documents/a.md')).toBe('');
    program('private/prog');
    scene.put('private/diary', 'PRIVATE');
    link('../../private/prog', 'prog');
    expect(seen('prog=$(cat ~/.local/bin/prog); cat ~/private/diary; echo $prog')).toBe('PROGRAM\n');
    program('apps/tool/bin/tool');
    scene.put('apps/tool/lib/part', 'PART');
    link('../../apps/tool/bin/tool', 'tool');
    expect(seen('cat ~/.local/bin/tool ~/apps/tool/lib/part')).toBe('PROGRAMPART');
    scene.put('other/file', '');
    program('letters/a');
    symlinkSync('../letters/a', join(scene.home, 'other/link'));
    link('../../other/link', 'led-on');
    expect(seen('cat ~/letters/a')).toBe('');
  });

  it('reading or writing a hidden place by name does not show it, and a line says what does', () => {
    const scene = new Scene(user);
    for (const word of ['try-read', 'try-write']) {
      const { stdout, stderr } = scene.run('cat ~/.ssh/id', [...scene.lines(), `${word} ${scene.home}/.ssh/id`]);
      expect(stdout).toBe('');
      expect(stderr).toContain(`--expose ${scene.home}/.ssh/id`);
    }
  });

  it('standing among settings that all commands see makes them no workspace', () => {
    const scene = new Scene(user);
    const { stderr } = scene.run('echo planted >settings', scene.lines(), { cwd: join(scene.home, '.tools') });
    expect(stderr).toContain('no workspace here');
    expect(readFileSync(join(scene.home, '.tools/settings'), 'utf8')).toBe('SETTINGS');
  });

  it('a link beside what was written before is not followed outside the home either', () => {
    const scene = new Scene(user);
    const data = openFolder('data');
    chownSync(data, identityOf(user).uid, identityOf(user).gid);
    symlinkSync(join(scene.home, 'Documents'), join(data, 'out'));
    const { code, stderr } = scene.run('true', [...scene.lines(), `write ${data}/out`]);
    expect(stderr).toContain('is a link to');
    expect(code).toBe(125);
  });

  it('the workspace can be put aside, or be read-only', () => {
    const scene = new Scene(user);
    const as = (mode: string) => scene.lines().map((line) => line.replace('here real', `here ${mode}`));
    expect(scene.run('echo x >file && cat file', as('aside'))).toMatchObject({ code: 0, stdout: 'x\n' });
    expect(scene.run('echo x >file', as('read-only')).stderr).toContain('Read-only file system');
    expect(readFileSync(join(scene.work, 'file'), 'utf8')).toBe('WORK');
  });

  it('on a terminal a line at the end tells what was written outside the workspace', () => {
    const scene = new Scene(user);
    const script = 'echo x >~/.new; mkdir ~/.cache; echo y >~/.cache/z; mv file ~/moved';
    mkdirSync(join(scene.root, 'kept'), { mode: 0o700 });
    const { uid, gid } = identityOf(user);
    chownSync(join(scene.root, 'kept'), uid, gid);
    const lines = [...scene.lines(), `changes ${scene.root}/kept 14 1000000`, `come-back ${scene.home}/.cache`];
    scene.run('true', lines);
    const shown = (command: string) =>
      spawnSync('script', ['-qec', `${scene.root}/launch ${scene.root}/plan -c '${command}'`, '/dev/null'], {
        ...{ uid, gid, cwd: scene.work, encoding: 'utf8' },
        env: { PATH: '/usr/bin:/bin', HOME: scene.home, SHELL: '/bin/sh' },
      }).stdout;
    expect(shown(script)).toMatch(/cordon: t: 2 files put aside: cordon changes/);
    const keys = 'echo k >~/a.key; echo k >~/b.pem';
    expect(shown(keys)).toMatch(/cordon: t: 2 files look like credentials and were not kept: cordon changes/);
    expect(shown(`echo x >~/.new; echo k >~/a.key`)).toContain(
      '1 file put aside, 1 file looks like a credential and was not kept: cordon changes',
    );
    expect(shown(`${keys}; exit 3`)).toContain('2 files look like credentials and were not kept (cordon changes); ');
    expect(scene.run(script.replace('mv file ~/moved', 'true'), lines).stderr).toBe('');
    expect(readdirSync(join(scene.root, 'kept'))).toHaveLength(5);
  });

  it('what is put aside has an end, which only this command feels', () => {
    const scene = new Scene(user);
    const { stdout, stderr } = scene.run('head -c 3000000 /dev/zero >~/.big; wc -c <~/.big; echo x >file && cat file', [
      ...scene.lines(),
      'quota 2000000',
    ]);
    expect(stderr).toContain('No space left on device');
    expect(stdout).toMatch(/^\d{7}\nx\n$/);
  });

  it('a layer in a layer is made from pieces, and in that one nothing is lost but writing', () => {
    const scene = new Scene(user);
    const inner = `${scene.root}/launch ${scene.root}/plan -c`;
    const plan = [...scene.lines(), `read ${scene.root}/launch`, `read ${scene.root}/plan`].map((line) =>
      line.replace('private /tmp 1777', 'private /var/lib 1777'),
    );
    const { stdout, stderr } = scene.run(
      `cat ~/.gitconfig; ${inner} 'cat ~/.gitconfig ~/.tools/settings; ls -A ~; cat ~/.ssh/id ~/.tools/credentials; cat /proc/1/comm'`,
      plan,
    );
    if (user === 'root') expect(stderr).toContain('ids cannot be mapped');
    else expect(stdout).toBe('GITGITSETTINGS.gitconfig\n.tools\ncode\ncordon-inner\n');
  });

  it('without attributes in memory the layers are kept in the folder for it, and nothing is left', () => {
    const scene = new Scene(user);
    const aside = openFolder('aside');
    chmodSync(aside, 0o700);
    chownSync(aside, identityOf(user).uid, identityOf(user).gid);
    const { code, stdout } = scene.run('echo x >~/.new; cat ~/.new; ls -A ~/code', [
      ...scene.lines(),
      `aside ${aside}`,
    ]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'x\napp\n' });
    expect(readdirSync(aside)).toEqual([]);
    chmodSync(aside, 0o755);
    const { stderr } = scene.run('echo x >~/.new', [...scene.lines(), `aside ${aside}`]);
    expect(stderr).toContain('stays in memory');
    expect(existsSync(join(scene.home, '.new'))).toBe(false);
  });

  it.each([[], ['mount_setattr']])(
    'what is exposed in a workspace that is read-only is so too, without %j',
    (...missing) => {
      const scene = new Scene(user);
      const before = missing.length === 0 ? [] : without(...missing);
      if (before[0] !== undefined) chmodSync(dirname(before[0]), 0o755);
      const lines = scene.lines().map((line) => (line === 'workspace here real' ? 'workspace here read-only' : line));
      const run = (word: string, path: string) =>
        scene.run('cat file; echo x >file', ['bwrap /usr/bin/bwrap', ...lines, `${word} ${field(path)}`], { before });
      const { stdout, stderr } = run('expose-write', join(scene.work, 'file'));
      expect(stdout).toBe('WORK');
      expect(stderr).toContain('Read-only file system');
      expect(run('try-write', scene.work).code).toBe(125);
      expect(readFileSync(join(scene.work, 'file'), 'utf8')).toBe('WORK');
    },
  );

  it.each(['userns', 'mount_setattr'])(
    'without %s nothing runs that asks for the barrier, or bubblewrap holds it',
    (what) => {
      const scene = new Scene(user);
      const before = without(what);
      chmodSync(dirname(before[0] as string), 0o755);
      const { code, stdout, stderr } = scene.run(
        'ls -A ~; cat ~/.ssh/id ~/.unlisted/token ~/.tools/credentials; echo x >~/.new',
        ['bwrap /usr/bin/bwrap', ...scene.lines()],
        { before },
      );
      if (user === 'root' || what === 'mount_setattr') {
        expect(stdout).toBe('.gitconfig\n.tools\ncode\n');
        expect(stderr).toContain("the barrier is bubblewrap's");
      } else {
        expect({ code, stdout }).toEqual({ code: 125, stdout: '' });
      }
      expect(existsSync(join(scene.home, '.new'))).toBe(false);
    },
  );
});

describe.each(ONLY_ROOT)('places that only %s can make:', (user) => {
  const mounted: string[] = [];
  afterAll(() => {
    for (const path of mounted) spawnSync('umount', ['-l', path]);
  });

  it.each(USERS)('a home with a mount below it, as %s', (reader) => {
    const scene = new Scene(reader);
    const data = join(scene.home, 'data');
    mkdirSync(data);
    spawnSync('mount', ['-t', 'tmpfs', 'x', data]);
    mounted.push(data);
    writeFileSync(join(data, 'file'), 'MOUNTED');
    const { code, stdout } = scene.run(
      'cd; ls -A; cat .gitconfig .tools/settings; cat .ssh/id .tools/credentials data/file 2>/dev/null; echo x >.tools/new; echo y >.new; cat .tools/new .new',
    );
    expect({ code, stdout }).toEqual({ code: 0, stdout: '.gitconfig\n.tools\ncode\nGITSETTINGSx\ny\n' });
    expect([existsSync(join(scene.home, '.new')), existsSync(join(scene.home, '.tools/new'))]).toEqual([false, false]);
    expect(lstatSync(join(data, 'file')).size).toBe(7);
    expect(user).toBe('root');
  });

  it('a link in a folder of an ordinary user outside the home is not followed to what is written', () => {
    const scene = new Scene('cordon-test');
    const { uid, gid } = identityOf('cordon-test');
    const data = mkdtempSync('/srv/cordon-test-');
    chownSync(data, uid, gid);
    symlinkSync(join(scene.home, 'Documents'), join(data, 'out'));
    for (const word of ['write', 'try-write', 'expose-write', 'read'])
      for (const path of ['out', 'out/file']) {
        const { code, stderr } = scene.run('true', [...scene.lines(), `${word} ${data}/${path}`]);
        expect(stderr).toContain(`${data}/out is a link to`);
        expect(code).toBe(125);
      }
    rmSync(data, { recursive: true });
  });

  it('a socket in /var, /opt or /srv does not answer', async () => {
    const scene = new Scene(user);
    const folder = '/opt/cordon-test-places';
    mkdirSync(folder, { recursive: true });
    const server = createServer((socket) => socket.end('ANSWER')).listen(`${folder}/s.sock`);
    await new Promise((resolve) => server.once('listening', resolve));
    const { stdout, stderr } = scene.run(
      `python3 -c "import socket; s=socket.socket(socket.AF_UNIX); s.connect('${folder}/s.sock')"`,
    );
    server.close();
    spawnSync('rm', ['-rf', folder]);
    expect(stdout + stderr).toContain('ConnectionRefusedError');
  });

  it('keeps no way to steer the machine', () => {
    const scene = new Scene(user);
    const { stdout } = scene.run(
      'for f in /proc/sys/kernel/core_pattern /proc/sysrq-trigger /sys/kernel/mm/ksm/run; do (echo x >$f) 2>/dev/null && echo $f; done; touch /usr/x /etc/x /var/x 2>/dev/null; chmod 700 /etc 2>/dev/null && echo chmod',
    );
    expect(stdout).toBe('');
  });
});
