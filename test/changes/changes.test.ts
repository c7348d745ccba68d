import { spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { cordonProgram, runAs, runCordon } from '../support/cordon.ts';
import { identityOf, USERS } from '../support/users.ts';
import { World } from './world.ts';

describe.each(USERS)('what %s puts aside', (user) => {
  it('is listed, shown and taken over, with the old mode', () => {
    const world = new World(user);
    world.put('.tool/settings', 'old\n', 0o640);
    world.put('.tool/gone', 'x');
    const flags = ['--read', world.home];
    expect(
      world.run('echo new >>~/.tool/settings; rm ~/.tool/gone; mkdir -p ~/made/deep; echo n >~/made/deep/file', flags),
    ).toMatchObject({
      code: 0,
      stderr: '',
    });
    expect(world.text('.tool/settings')).toBe('old\n');
    const [launch] = JSON.parse(world.cordon(['changes', '--json']).stdout).launches;
    expect(launch).toMatchObject({ name: 'sh', files: 3, lost: 0, workspace: world.work });
    expect(world.show().map(({ path, kind }) => [path.slice(world.home.length + 1), kind])).toEqual(
      expect.arrayContaining([
        ['.tool/settings', 'file'],
        ['.tool/gone', 'gone'],
        ['made/deep', 'folder'],
        ['made/deep/file', 'file'],
      ]),
    );
    const named = ['.tool/settings', '.tool/gone'].map((name) => join(world.home, name));
    expect(world.cordon(['changes', 'apply', launch.launch, ...named])).toMatchObject({ code: 0, stderr: '' });
    expect(world.cordon(['changes', 'apply', launch.launch])).toMatchObject({ code: 0, stderr: '' });
    expect(world.text('.tool/settings')).toBe('old\nnew\n');
    expect(statSync(join(world.home, '.tool/settings')).mode & 0o777).toBe(0o640);
    expect(world.text('made/deep/file')).toBe('n\n');
    expect(existsSync(join(world.home, '.tool/gone'))).toBe(false);
    expect(world.cordon(['changes', 'apply'])).toMatchObject({
      code: 0,
      stdout: 'nothing to take over: everything is already so\n',
    });
    expect(statSync(world.records).mode & 0o777).toBe(0o700);
  });

  it('of modes is taken over, and shows nothing to others; a program outside the workspace has to be named', () => {
    const world = new World(user);
    const modeOf = (path: string) => statSync(path).mode & 0o7777;
    const script = world.put('code/app/script', 'echo\n');
    const both = world.put('code/app/both', 'old\n');
    const own = world.put('code/app/own', 'for me\n', 0o600);
    const shared = world.put('code/app/shared', 'x', 0o664);
    const outside = world.put('notes/outside', 'echo\n');
    const aside = ['--workspace', 'aside'];
    world.run('chmod 755 script both; echo new >both; chmod 6755 own; chmod 600 shared', aside);
    expect(world.cordon(['changes', 'apply'])).toMatchObject({ code: 0, stderr: '' });
    expect([script, both, own, shared].map(modeOf)).toEqual([0o755, 0o755, 0o711, 0o600]);
    expect(world.text('code/app/both')).toBe('new\n');
    expect(world.cordon(['changes', 'apply']).stdout).toBe('nothing to take over: everything is already so\n');
    world.run('chmod 755 ~/notes/outside', ['--read', world.home]);
    expect(world.cordon(['changes', 'apply'])).toMatchObject({ code: 1, stderr: expect.stringContaining('name it') });
    expect(modeOf(outside)).toBe(0o644);
    expect(world.cordon(['changes', 'apply', outside])).toMatchObject({ code: 0, stdout: `applied ${outside}\n` });
    expect(modeOf(outside)).toBe(0o755);
  });

  it('of a link is taken over where it leads, once that is named', () => {
    const world = new World(user);
    const real = world.put('dots/gitconfig', '[user]\n\tname = Ann\n');
    symlinkSync('dots/gitconfig', join(world.home, '.gitconfig'));
    expect(world.run('git config --global user.email ann@example.com').code).toBe(0);
    const link = join(world.home, '.gitconfig');
    for (const flags of [[], ['--force']]) {
      const { code, stderr } = world.cordon(['changes', 'apply', ...flags, link]);
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: `cordon: ${link} is not applied: it is a link; to take it over where it leads, give --force and ${real}\n`,
      });
    }
    expect(world.cordon(['changes', 'apply', '--force', real])).toMatchObject({ code: 0, stdout: `applied ${real}\n` });
    expect(world.text('dots/gitconfig')).toBe('[user]\n\tname = Ann\n\temail = ann@example.com\n');
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
  });

  it('has no records of histories, of a launch inside, or of asking agents for their version', () => {
    const world = new World(user);
    world.put('.local/bin/claude', '#!/bin/sh\necho asked >~/asked\necho 1.2.3\n', 0o755);
    const env = { PATH: `${world.home}/.local/bin:/usr/bin:/bin` };
    const listed = runCordon(['agent', 'list'], { user, home: world.home, cwd: world.work, env });
    expect(listed.stdout).toContain('1.2.3');
    expect(world.run('echo 1 >~/.lesshst; echo 2 >~/.python_history')).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(world.cordon(['changes', '--json']).stdout).launches).toEqual([]);
    const state = join(world.home, '.local/state/cordon');
    world.run(`mkdir -p ${state}/changes; echo inner >${state}/changes/x; echo key >~/.netrc`);
    expect(world.show().filter(({ kind }) => kind === 'file')).toMatchObject([{ path: join(world.home, '.netrc') }]);
  });

  it('costs nothing where nothing was written, and what was only opened is no change', () => {
    const world = new World(user);
    world.put('.tool/settings', 'same\n');
    world.run('true');
    world.run('cp ~/.tool/settings /tmp/x; cat /tmp/x >~/.tool/settings', ['--read', world.home]);
    expect(world.names()).toEqual([]);
    expect(world.cordon(['changes']).stdout).toBe('nothing is put aside\n');
  });

  it('a file that was changed since, or meanwhile, is refused unless told', () => {
    const world = new World(user);
    const settings = world.put('.tool/settings', 'old\n');
    world.run('echo theirs >~/.tool/settings', ['--read', world.home]);
    world.put('.tool/settings', 'mine\n');
    const refused = world.cordon(['changes', 'apply', settings]);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('the real one has changed since');
    expect(world.text('.tool/settings')).toBe('mine\n');
    expect(world.cordon(['changes', 'apply', '--force', settings]).code).toBe(0);
    expect(world.text('.tool/settings')).toBe('theirs\n');
  });

  it('what would run later is marked, and taken over only by name', () => {
    const world = new World(user);
    world.put('.bashrc', 'alias a=b\nexport MY_TOKEN=x\nalias c=d\n');
    world.run(
      `echo alias e=f >>~/.bashrc; mkdir ~/notes; echo plain >~/notes/plain
       mkdir -p ~/.config/autostart ~/Desktop ~/node_modules/left-pad
       for file in .config/autostart/a.desktop Desktop/b.desktop node_modules/left-pad/index.js package.json vite.config.ts; do echo x >~/$file; done`,
    );
    const runs = Object.fromEntries(
      world.show().map(({ path, runs: what }) => [path.slice(world.home.length + 1), what]),
    );
    expect(runs).toMatchObject({
      '.bashrc': 'a start-up file of a shell',
      '.config/autostart/a.desktop': 'started with the session',
      'Desktop/b.desktop': 'started by a click',
      'node_modules/left-pad/index.js': 'code that others load',
      'package.json': 'settings that start programs',
      'vite.config.ts': 'settings that start programs',
      'notes/plain': null,
    });
    const all = world.cordon(['changes', 'apply']);
    expect(all.code).toBe(1);
    expect(all.stdout).toBe(`applied ${world.home}/notes/plain\n`);
    expect(world.text('.bashrc')).not.toContain('alias e');
    expect(world.cordon(['changes', 'apply', join(world.home, '.bashrc')]).code).toBe(0);
    expect(world.text('.bashrc')).toBe('alias a=b\nexport MY_TOKEN=x\nalias c=d\nalias e=f\n');
  });

  it('a new file in the home, above the workspace or above a repository needs naming, whatever its name', () => {
    const world = new World(user);
    world.put('src/team/other/.git/HEAD', 'ref: refs/heads/main\n');
    world.put('docs/text', 'old\n');
    const above = ['Rakefile', 'any name', 'code/conftest.py', 'src/go.work', 'src/team/other/json.py'];
    const elsewhere = ['docs/Rakefile', 'docs/text', 'new/plain'];
    const names = [...above, ...elsewhere].map((name) => `"$HOME/${name}"`);
    const script = `mkdir ~/new; for file in ${names.join(' ')}; do echo x >"$file" || exit 1; done`;
    expect(world.run(script, ['--read', world.home]).code).toBe(0);
    const { code, stdout, stderr } = world.cordon(['changes', 'apply']);
    expect(code).toBe(1);
    expect(stdout.split('\n').sort()).toEqual(['', ...elsewhere.map((name) => `applied ${world.home}/${name}`)]);
    for (const name of above) {
      const path = join(world.home, name);
      expect(stderr).toContain(
        `${path} is not applied: it is a new file above your projects, where programs in them look for settings`,
      );
      expect(existsSync(path)).toBe(false);
      expect(world.cordon(['changes', 'apply', path])).toMatchObject({ code: 0, stdout: `applied ${path}\n` });
    }
  });

  it('a home that is a link, and dot files that are links, are marked where they really lie', () => {
    const world = new World(user);
    const link = `${world.home}-link`;
    symlinkSync(world.home, link);
    onTestFinished(() => rmSync(link));
    world.put('.bashrc', 'alias a=b\n');
    world.put('dots/toolrc', 'a\n');
    world.put('opt/p', 'x\n');
    symlinkSync('dots/toolrc', join(world.home, '.toolrc'));
    symlinkSync('opt', join(world.home, 'programs'));
    const options = { user, home: link, cwd: world.work, env: { PATH: `/usr/bin:/bin:${link}/programs` } };
    const script =
      'echo evil >>~/.bashrc; echo evil >>~/dots/toolrc; echo evil >>~/opt/p; mkdir ~/notes; echo plain >~/notes/plain';
    runCordon(['run', '--', 'sh', '-c', script], options);
    expect(runCordon(['changes', 'apply', '--force'], options).stdout).toBe(`applied ${world.home}/notes/plain\n`);
    for (const name of ['.bashrc', 'dots/toolrc', 'opt/p']) expect(world.text(name)).not.toContain('evil');
    expect(runCordon(['changes', 'apply', `${link}/.bashrc`], options).code).toBe(0);
    expect(world.text('.bashrc')).toBe('alias a=b\nevil\n');
  });

  it('every dot file of the home needs naming, new or not, removed too, and what shells compile is marked', () => {
    const world = new World(user);
    world.put('.tool/known', 'a\n');
    world.put('.zshrc.zwc', 'a\n');
    world.put('.tool/program', 'a\n', 0o755);
    world.put('.gone', 'a\n');
    const files = '.newrc .odd/deep/f .tool/known .zshrc.zwc .tool/program notes/plain';
    world.run(
      `mkdir -p ~/notes ~/.odd/deep ~/.tool; for f in ${files}; do echo evil >~/$f; done; chmod -x ~/.tool/program; rm ~/.gone`,
      ['--read', world.home],
    );
    expect(world.cordon(['changes', 'apply', '--force']).stdout).toBe(`applied ${world.home}/notes/plain\n`);
    for (const name of ['.newrc', '.odd/deep/f']) expect(existsSync(join(world.home, name))).toBe(false);
    for (const name of ['.zshrc.zwc', '.tool/program', '.tool/known', '.gone']) expect(world.text(name)).toBe('a\n');
  });

  it('settings that variables have moved need naming where they lie', () => {
    const world = new World(user);
    world.put('cfg/fish/config.fish', 'a\n');
    world.put('zsh/.zshrc', 'a\n');
    const env = { XDG_CONFIG_HOME: join(world.home, 'cfg'), ZDOTDIR: join(world.home, 'zsh') };
    const options = { user, home: world.home, cwd: world.work, env };
    const script = `mkdir ~/notes; for f in cfg/fish/config.fish cfg/odd.conf zsh/.zshrc zsh/odd notes/plain; do echo evil >~/$f; done`;
    runCordon(['run', '--read', world.home, '--', 'sh', '-c', script], options);
    expect(runCordon(['changes', 'apply', '--force'], options).stdout).toBe(`applied ${world.home}/notes/plain\n`);
    for (const name of ['cfg/fish/config.fish', 'zsh/.zshrc']) expect(world.text(name)).toBe('a\n');
    for (const name of ['cfg/odd.conf', 'zsh/odd']) expect(existsSync(join(world.home, name))).toBe(false);
  });

  it('names with newlines and escape sequences are shown escaped and applied right', () => {
    const world = new World(user);
    world.run(`mkdir ~/n; printf x >"$(printf '%s/n/a\\n\\033[31mb' ~)"; printf y >"$(printf '%s/n/\\377' ~)"`);
    const { stdout } = world.cordon(['changes', 'show']);
    expect(stdout).toContain('a\\x0a\\x1b[31mb');
    expect(stdout).toContain('\\xff');
    expect(stdout).not.toContain('\x1b');
    expect(world.cordon(['changes', 'apply']).code).toBe(0);
    expect(world.text('n/a\n\x1b[31mb')).toBe('x');
    expect(readFileSync(Buffer.concat([Buffer.from(`${world.home}/n/`), Buffer.from([0xff])]), 'utf8')).toBe('y');
  });

  it('pipes, sockets and links are told and never applied, devices neither', () => {
    const world = new World(user);
    world.run(
      'mkfifo ~/pipe; ln -s /etc/passwd ~/link; python3 -c "import socket,os; socket.socket(socket.AF_UNIX).bind(os.path.expanduser(\'~/sock\'))"',
    );
    expect(
      world
        .show()
        .map(({ kind }) => kind)
        .sort(),
    ).toEqual(['fifo', 'link', 'socket']);
    const record = join(world.records, world.names()[0] as string);
    const forged = readFileSync(record, 'latin1')
      .replace('"kind":"fifo"', '"kind":"device"')
      .replace(/end (\d+)/, (_, at) => `end ${at}`);
    const line = forged.indexOf('end ');
    const head = forged.slice(0, line);
    writeFileSync(record, `${head}${forged.slice(line)}`, 'latin1');
    const { code, stderr } = world.cordon(['changes', 'apply']);
    expect(code).toBe(1);
    expect(stderr).toContain('a device is never applied');
    expect(stderr).toContain('a link is never applied');
    for (const name of ['pipe', 'link', 'sock'])
      expect(lstatSync(join(world.home, name), { throwIfNoEntry: false })).toBeUndefined();
  });

  it('an apply onto a folder that became a link goes nowhere', () => {
    const world = new World(user);
    world.put('.tool/sub/settings', 'old\n');
    const elsewhere = world.folder('elsewhere');
    world.put('elsewhere/settings', 'theirs\n');
    world.run('echo new >~/.tool/sub/settings; echo n >~/.tool/sub/new', ['--read', world.home]);
    renameSync(join(world.home, '.tool/sub'), join(world.home, '.tool/was'));
    symlinkSync(elsewhere, join(world.home, '.tool/sub'));
    const named = ['settings', 'new'].map((name) => join(world.home, '.tool/sub', name));
    const { code, stderr } = world.cordon(['changes', 'apply', '--force', ...named]);
    expect(code).toBe(1);
    expect(stderr).toContain('is a link or a file now');
    expect(world.text('elsewhere/settings')).toBe('theirs\n');
    expect(existsSync(join(elsewhere, 'new'))).toBe(false);
  });

  it('a disk that gets full in the middle leaves the old file as it was', () => {
    const world = new World(user);
    const script = `
      mount -t tmpfs tmpfs ~root && mkdir -p "$HOME/full" && mount -t tmpfs -o size=128k tmpfs "$HOME/full" && echo old >"$HOME/full/a" || exit 99
      "$0" run --workspace "$HOME/full" --workspace aside -- sh -c 'head -c 60000 /dev/zero >"$HOME/full/a"; head -c 100000 /dev/zero >"$HOME/full/b"'
      dd if=/dev/zero of="$HOME/full/fill" bs=4k count=14 2>/dev/null
      "$0" changes apply; code=$?
      ls -A "$HOME/full"; wc -c <"$HOME/full/a"; exit $code`;
    const ran = runAs('unshare', ['-rm', 'sh', '-c', script, cordonProgram()], { user, home: world.home, cwd: '/' });
    expect(ran.stderr).toContain('the disk is full; the old file is as it was');
    expect(ran).toMatchObject({ code: 1 });
    expect(ran.stdout.split('\n').filter((line) => line.startsWith('.cordon'))).toEqual([]);
  });

  it('two that apply at once, and one that drops meanwhile, do no harm', async () => {
    const world = new World(user);
    world.run('mkdir ~/n; i=0; while [ $i -lt 200 ]; do echo content >~/n/f$i; i=$((i+1)); done');
    const { uid, gid } = identityOf(user);
    const start = (args: readonly string[]) =>
      new Promise<{ code: number | null; stderr: string }>((resolve) => {
        const child = spawn(cordonProgram(), ['changes', ...args], {
          ...{ uid, gid, cwd: world.work },
          env: { HOME: world.home, PATH: '/usr/bin:/bin' },
        });
        let stderr = '';
        child.stderr.on('data', (data) => (stderr += data));
        child.on('close', (code) => resolve({ code, stderr }));
      });
    const both = await Promise.all([start(['apply']), start(['apply'])]);
    for (const { stderr } of both)
      expect(stderr.replaceAll(/.*(something is there now that was not|is being changed|changed since).*\n/g, '')).toBe(
        '',
      );
    for (let i = 0; i < 200; i++) expect(world.text(`n/f${i}`)).toBe('content\n');
    const drops = await Promise.all([start(['drop', '--all']), start(['drop', '--all']), start(['list'])]);
    expect(drops.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(world.names()).toEqual([]);
  });

  it('ten thousand files are kept, told and taken over', () => {
    const world = new World(user);
    const make =
      'mkdir ~/many; cd ~/many; i=0; while [ $i -lt 100 ]; do mkdir $i; j=0; while [ $j -lt 100 ]; do echo $i >$i/$j; j=$((j+1)); done; i=$((i+1)); done';
    expect(world.run(make)).toMatchObject({ code: 0, stderr: '' });
    const [launch] = JSON.parse(world.cordon(['changes', '--json']).stdout).launches;
    expect(launch).toMatchObject({ files: 10_000, lost: 0 });
    expect(world.cordon(['changes', 'apply', join(world.home, 'many/42')]).code).toBe(0);
    expect(world.text('many/42/99')).toBe('42\n');
    expect(existsSync(join(world.home, 'many/41'))).toBe(false);
  });

  it('a record that was cut short or came from another version is told, and can be dropped', () => {
    const world = new World(user);
    for (const name of ['a', 'b']) world.run(`echo x >~/${name}`);
    const [one, other] = world.names().sort() as [string, string];
    truncateSync(join(world.records, one), 40);
    const text = readFileSync(join(world.records, other), 'latin1');
    writeFileSync(join(world.records, other), text.replace('cordon-changes 1', 'cordon-changes 9'), 'latin1');
    const listed = world.cordon(['changes']).stdout;
    expect(listed).toContain('it was cut short');
    expect(listed).toContain('another version of Cordon');
    const { code, stderr } = world.cordon(['changes', 'show', one]);
    expect(code).toBe(125);
    expect(stderr).toContain(`cordon changes drop ${one}`);
    expect(world.cordon(['changes', 'drop', one, other]).code).toBe(0);
    expect(world.names()).toEqual([]);
  });

  it('what looks like a credential is dropped unless it is kept by name', () => {
    const world = new World(user);
    const token = `gh${'p_'}${'a1B2'.repeat(9)}`;
    const script = `mkdir -p ~/.ssh ~/.other; echo k >~/.ssh/id_x; echo 'token ${token}' >~/.other/a; echo t >~/.other/token; echo p >~/.other/plain`;
    world.run(script);
    const about = () =>
      Object.fromEntries(world.show().map(({ path, credential }) => [path.slice(world.home.length + 1), credential]));
    expect(about()).toMatchObject({ '.ssh/id_x': true, '.other/a': true, '.other/token': true, '.other/plain': false });
    expect(readFileSync(join(world.records, world.names()[0] as string), 'latin1')).not.toContain(token);
    world.put('.config/cordon/cordon.toml', '[changes]\nkeep = ["~/.other/token"]\n');
    world.run(script);
    expect(about()).toMatchObject({ '.other/a': true, '.other/token': false });
  });

  it('a full store is ENOSPC inside and nobody else loses anything', () => {
    const world = new World(user);
    world.put('.config/cordon/cordon.toml', '[changes]\nsize = "20M"\ndays = 3\n');
    world.run('head -c 3000000 /dev/urandom >~/first');
    const { stderr } = world.run('head -c 30000000 /dev/urandom >~/second');
    expect(stderr).toContain('No space left on device');
    expect(world.run('head -c 5000000 /dev/urandom >~/third').stderr).toContain(
      '1 file written outside the workspace could not be kept; `cordon changes drop` makes room',
    );
    const { launches } = JSON.parse(world.cordon(['changes', '--json']).stdout);
    expect(launches[0]).toMatchObject({ files: 1, lost: 0 });
  });

  it('the store is out of reach of the command', () => {
    const world = new World(user);
    world.run('echo x >~/a; mkdir -p ~/.npm; echo y >~/.npm/z');
    const { stdout } = world.run(`ls -A ~/.local/state/cordon ${world.layers} 2>&1; cat ${world.records}/*`);
    expect(stdout).toContain('No such file');
    const all = world.run(`ls -A ${world.records} ${world.layers}; rm -rf ${world.records} ${world.layers}; true`, [
      '--fs',
      'all',
    ]);
    expect(all.stdout.replaceAll(/.*:\n/g, '').trim()).toBe('');
    expect(world.names()).toHaveLength(1);
    expect(existsSync(join(world.layers, 'kept-1'))).toBe(true);
  });

  it('old ones go, and nothing but plain names is a record', () => {
    const world = new World(user);
    world.run('echo x >~/a');
    const [old] = world.names() as [string];
    chmodSync(join(world.records, old), 0o600);
    writeFileSync(join(world.records, '.part-left'), 'x');
    const before = new Date(Date.now() - 15 * 24 * 3600 * 1000);
    for (const name of [old, '.part-left']) utimesSync(join(world.records, name), before, before);
    symlinkSync('/etc/passwd', join(world.records, '12345-1'));
    world.run('echo y >~/b');
    unlinkSync(join(world.records, '12345-1'));
    expect(world.names()).not.toContain(old);
    expect(world.names()).not.toContain('.part-left');
    expect(world.names()).toHaveLength(1);
    rmSync(world.records, { recursive: true });
    expect(world.run('echo z >~/c')).toMatchObject({ code: 0, stderr: '' });
    expect(world.names()).toHaveLength(1);
  });
});
