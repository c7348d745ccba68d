import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { USERS } from '../support/users.ts';
import { inMain, put, scene, VALUES } from './support.ts';

const ADDED_BY_BASH = ['PWD', 'SHLVL', '_'];
const bash = (command: string, more = '{}', options = '{}') =>
  `const s = await open(${more}); const r = show(await s.bash(${JSON.stringify(command)}, ${options})); await s.close(); return r;`;

describe.each(USERS)('inside a session of %s', (user) => {
  it('F3: HOME, PATH and the variables of the user, and nothing else', async () => {
    const { exitCode, stdout } = await inMain(scene(user), bash('env -0'));
    const entries = (stdout as string).split('\0').filter((entry) => entry !== '');
    const seen = Object.fromEntries(entries.map((entry) => entry.split(/=(.*)/s).slice(0, 2)));
    for (const name of ADDED_BY_BASH) delete seen[name];
    expect(exitCode).toBe(0);
    expect(seen).toEqual({ HOME: '/workspace', PATH: '/usr/bin:/bin', ...VALUES });
  });

  it('the system can only be read, and there are no folders of the host but the workspace and the skills', async () => {
    const here = scene(user);
    put(here, 'skills/tidy/SKILL.md', '# Tidy\n');
    const script = `
      for f in / /usr /etc /skills /skills/tidy /dev /var /proc/sys; do (echo x > $f/new) 2>/dev/null && echo "wrote $f"; done
      ls -d /home /root /sys /mnt ${here.root} ${here.home} 2>/dev/null
      ls /skills; ls /tmp; cat /etc/shadow 2>/dev/null; echo made > made; cd /tmp && echo x > y && cat y; test -d /lib64/. || test ! -e /lib64 || echo no-lib64; pwd -P`;
    const result = await inMain(here, bash(script, '{ skills: [scene.skills] }'));
    expect(result).toMatchObject({ stdout: 'tidy\nx\n/tmp\n', exitCode: 0 });
    expect(readFileSync(join(here.workspace, 'made'), 'utf8')).toBe('made\n');
  });

  it('the private /tmp and shared memory have an end, and are new for every call', async () => {
    const script = `const s = await open({ limits: { temporary: 1048576 } });
      const fill = 'head -c 4M /dev/zero > $P/fill; wc -c < $P/fill; ls -A /tmp';
      const all = [];
      for (const place of ['/tmp', '/dev/shm', '/var/tmp']) all.push((await s.bash('P=' + place + '; ' + fill)).stdout.toString().split('\\n'));
      all.push((await s.bash('ls -A /tmp')).stdout.toString());
      await s.close(); return all;`;
    expect(await inMain(scene(user), script)).toEqual([
      ['1048576', 'fill', ''],
      ['1048576', ''],
      ['1048576', 'fill', ''],
      '',
    ]);
  });

  it('no process outside can be seen, and none of ours tells anything', async () => {
    const { stdout } = await inMain(
      scene(user),
      bash('cat /proc/[0-9]*/cmdline | tr "\\0" " "; echo; ls -d /proc/[0-9]* | wc -l'),
    );
    expect(stdout).not.toMatch(/node|main-/);
    expect(Number(stdout.trim().split('\n').at(-1))).toBeLessThan(6);
  });

  it('exit codes are those of the command, and output comes as it is', async () => {
    const script = `const s = await open(); const all = [];
      for (const c of ['exit 7', 'kill -SEGV $$', 'no-such-command', 'exit 124', 'exit 125', 'echo "cordon: x: nothing of the sort" >&2; exit 125', 'printf "\\\\377\\\\0a"; echo e >&2'])
        { const r = await s.bash(c); all.push([r.exitCode, r.timedOut, r.stdout.toString('hex'), r.limit]); }
      await s.close(); return all;`;
    expect(await inMain(scene(user), script)).toEqual([
      [7, false, '', null],
      [139, false, '', null],
      [127, false, '', null],
      [124, false, '', null],
      [125, false, '', null],
      [125, false, '', null],
      [0, false, 'ff0061', null],
    ]);
  });

  it('F6: the network is off unless a profile opens it', async () => {
    const here = scene(user);
    put(here, 'cordon/profiles/online.yaml', 'network: { block: false }\n');
    put(here, 'cordon/profiles/plain.yaml', 'environment: { allow_vars: [] }\n');
    const server = createServer((socket) => socket.end('reached\n'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const dial = `cat < /dev/tcp/127.0.0.1/${port}`;
    const body = (more: string) => inMain(here, bash(dial, more));
    const [off, plain, on] = [
      await body('{}'),
      await body("{ profile: 'plain' }"),
      await body("{ profile: 'online' }"),
    ];
    server.close();
    expect([off.stdout, plain.stdout]).toEqual(['', '']);
    expect(on.stdout).toBe('reached\n');
  });

  it('hosts of a profile are reached by name, and blocked_hosts are not', async () => {
    const here = scene(user);
    const server = createServer((socket) => socket.end('reached\n'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const pins = ['a', 'b'].map((name) => `"${name}.example.com:7000=127.0.0.1:${port}"`).join(', ');
    put(
      here,
      'cordon/profiles/hosts.yaml',
      `network: { allow: [${pins}] }\nsession: { blocked_hosts: [b.example.com] }\n`,
    );
    const dial = ['a', 'b'].map((name) => `cat < /dev/tcp/${name}.example.com/7000 || echo ${name}`).join('; ');
    const script = `const s = await open({ profile: 'hosts' }); const r = show(await s.bash(${JSON.stringify(dial)})); await s.close(); return [r.stdout, s.reach];`;
    const told = await inMain(here, script);
    server.close();
    const reach = 'Only these hosts can be reached: a.example.com:7000, b.example.com:7000, never b.example.com.';
    expect(told).toEqual(['reached\nb\n', reach]);
  });

  it('a profile adds folders to PATH, variables and credentials; nothing is inherited', async () => {
    const here = scene(user);
    put(
      here,
      'cordon/profiles/more.toml',
      '[environment]\nallow_vars = ["*"]\nset_vars = { MODE = "on", SHARED = "no" }\n[session]\npath = ["/opt/tools"]\n',
    );
    const { stdout } = await inMain(
      here,
      `env.LEAK = 'leak';${bash('echo $PATH $MODE $SHARED "[$LEAK]"', "{ profile: 'more' }")}`,
    );
    expect(stdout).toBe('/usr/bin:/bin:/opt/tools on shared-value-1 []\n');
  });

  it("a profile brings in other folders by name, and what is Cordon's own never", async () => {
    const here = scene(user);
    put(here, 'data/in.txt', 'data');
    put(
      here,
      'cordon/profiles/data.yaml',
      `filesystem: { read: ["${here.root}/data"], allow: ["${here.root}/cordon"] }\n`,
    );
    const script = `cat ${here.root}/data/in.txt; (echo x > ${here.root}/data/new) 2>&1 | tail -c 22; cat ${here.home}/secrets.yaml ${here.home}/users/greg/secrets.yaml 2>/dev/null`;
    const { stdout } = await inMain(here, bash(script, "{ profile: 'data' }"));
    expect(stdout).toBe('dataRead-only file system\n');
  });

  it('F9: secrets are redacted from output and its file when the profile says so', async () => {
    const here = scene(user);
    put(here, 'cordon/profiles/quiet.yaml', 'redact: true\n');
    const { stdout, stderr } = await inMain(
      here,
      bash('echo $GITHUB_TOKEN; echo $SHARED >&2', "{ profile: 'quiet' }", "{ outputFile: 'out/1.txt' }"),
    );
    expect([stdout, stderr]).toEqual(['[GITHUB_TOKEN]\n', '[SHARED]\n']);
    expect(readFileSync(join(here.workspace, 'out/1.txt'), 'utf8').split('\n').toSorted()).toEqual([
      '',
      '[GITHUB_TOKEN]',
      '[SHARED]',
    ]);
  });

  it('values may be references to where they are', async () => {
    const here = scene(user);
    const file = put(here, 'kept/token', 'from-a-file\n', 0o600);
    put(
      here,
      'cordon/users/greg/secrets.yaml',
      `sandboxed_envs:\n  A_TOKEN: file://${file}\n  B_TOKEN: env://THEIRS\n`,
      0o600,
    );
    const { stdout } = await inMain(here, `env.THEIRS = 'from-env';${bash('echo $A_TOKEN $B_TOKEN [$THEIRS]')}`);
    expect(stdout).toBe('from-a-file from-env []\n');
    const missing = await inMain(here, 'return refused(open());');
    expect(missing).toMatchObject({
      message: expect.stringContaining('B_TOKEN'),
      where: expect.stringContaining('secrets.yaml:3'),
    });
  });

  it('the output file is never written through a link', async () => {
    const here = scene(user);
    const outside = put(here, 'outside.txt', 'as it was');
    const script = `const s = await open();
      await s.bash('ln -s ${here.root} out; ln -s ${outside} file; mkdir deep');
      const all = [];
      for (const outputFile of ['out/new.txt', 'file', '../x', '/abs', 'deep/../x', ''])
        all.push((await refused(s.bash('echo hi', { outputFile }))).kind);
      all.push((await s.bash('echo hi', { outputFile: 'deep/er/1.txt' })).exitCode);
      await s.close(); return all;`;
    expect(await inMain(here, script)).toEqual([...Array(6).fill('session'), 0]);
    expect([readFileSync(outside, 'utf8'), existsSync(join(here.root, 'new.txt'))]).toEqual(['as it was', false]);
    expect(readFileSync(join(here.workspace, 'deep/er/1.txt'), 'utf8')).toBe('hi\n');
  });
});
