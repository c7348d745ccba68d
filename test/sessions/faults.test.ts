import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { without } from '../native/support.ts';
import { installedPackage } from '../support/cordon.ts';
import { USERS } from '../support/users.ts';
import { inMain, mainProcess, put, type Scene, scene } from './support.ts';

const sleepers = (mark: number) =>
  readdirSync('/proc').filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'latin1') === `sleep\0${mark}\0`;
    } catch {
      return false;
    }
  });

const until = async (holds: () => boolean) => {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
};

const sessionFolders = (here: Scene) => {
  try {
    return readdirSync(join(here.home, 'state/sessions'));
  } catch {
    return [];
  }
};

/** The control groups of a main process, where there can be any. */
const groupsOf = (pid: number | undefined) =>
  execFileSync('find', ['/sys/fs/cgroup', '-maxdepth', '5', '-name', `cordon-${pid}-*`], { encoding: 'utf8' })
    .split('\n')
    .filter((path) => path !== '');

const isEmpty = (group: string) => readFileSync(join(group, 'cgroup.procs'), 'utf8') === '';

const auditOf = (here: Scene) =>
  readFileSync(join(here.home, 'state/audit.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe.each(USERS)('faults around a session of %s', (user) => {
  it('the sandbox is killed in mid-run: the call ends with 137 and the session goes on', async () => {
    const here = scene(user);
    const result = await inMain(
      here,
      `const s = await open();
       const kill = () => { for (const pid of fs.readFileSync('/proc/self/task/' + process.pid + '/children', 'utf8').trim().split(' '))
         { const inner = fs.readFileSync('/proc/' + pid + '/task/' + pid + '/children', 'utf8').trim(); if (inner) process.kill(Number(inner.split(' ')[0]), 'SIGKILL'); } };
       const r = show(await s.bash('echo on; sleep 4712', { onOutput: (chunk) => chunk.includes('on\\n') && kill() }));
       const next = show(await s.bash('echo next')); await s.close(); return [r, next];`,
    );
    expect(result).toMatchObject([
      { exitCode: 137, timedOut: false, cancelled: false },
      { stdout: 'next\n', exitCode: 0 },
    ]);
    expect(sleepers(4712)).toEqual([]);
  });

  it('the main process is killed: nothing runs on, and the next start removes what it left', async () => {
    const here = scene(user);
    put(here, 'cordon/profiles/hosts.yaml', 'session: { blocked_hosts: [evil.test] }\n');
    const mark = 4713 + USERS.indexOf(user) * 10;
    const child = mainProcess(
      here,
      `const s = await open({ profile: 'hosts' }); await s.bash('sleep ${mark} & sleep ${mark}; wait');`,
    );
    const closed = new Promise((resolve) => child.once('close', resolve));
    await until(() => sleepers(mark).length === 2);
    expect(sessionFolders(here)).toHaveLength(1);
    child.kill('SIGKILL');
    await closed;
    await until(() => sleepers(mark).length === 0 && groupsOf(child.pid).every(isEmpty));
    expect(sessionFolders(here)).toHaveLength(1);
    await inMain(here, 'const s = await open(); await s.close(); return {};');
    expect([sessionFolders(here), groupsOf(child.pid)]).toEqual([[], []]);
  });

  it('closing ends what still runs and leaves no process and no file', async () => {
    const here = scene(user);
    const result = await inMain(
      here,
      `const s = await open(); let on; const started = new Promise((resolve) => { on = resolve; });
       const running = s.bash('echo on; sleep 4733', { onOutput: on }); await started;
       await s.close(); await s.close(); const r = show(await running);
       const children = fs.readFileSync('/proc/self/task/' + process.pid + '/children', 'utf8').trim();
       return { r, children, after: await refused(s.bash('true')) };`,
    );
    expect(result).toMatchObject({
      r: { cancelled: true },
      children: '',
      after: { message: expect.stringContaining('closed') },
    });
    expect([sleepers(4733), sessionFolders(here)]).toEqual([[], []]);
  });

  it('each call is recorded with its session, its user and the names, whatever became of it', async () => {
    const here = scene(user);
    const id = await inMain(
      here,
      `const s = await open(); await s.bash('exit 3'); await s.bash('trap "" TERM; while :; do sleep 0.1; done', { timeoutMs: 300 }); await s.close(); return s.id;`,
    );
    const records = auditOf(here);
    expect(records.map(({ session, user: who, exit, isolation }) => [session, who, exit, isolation])).toEqual([
      [id, 'greg', 3, 'barrier'],
      [id, 'greg', 137, 'barrier'],
    ]);
    expect(records[0]?.credentials).toEqual(['GITHUB_TOKEN', 'OPENAI_API_KEY', 'SHARED']);
  });

  it('how long a call took does not count how long its launcher waited for it', async () => {
    const here = scene(user);
    const took = await inMain(
      here,
      `const s = await open(); const took = []; for (const c of ['sleep 1', 'true', 'true']) took.push((await s.bash(c)).durationMs); await s.close(); return took;`,
    );
    const recorded = auditOf(here).map(({ duration_ms: time }) => time as number);
    expect(recorded).toHaveLength(3);
    // Each within what was measured around it, both rounded.
    for (const [i, time] of recorded.entries()) expect(time).toBeLessThanOrEqual(took[i] + 1);
  });

  it('a full disk in the workspace fails the command, not the session', async () => {
    const here = scene(user);
    const body = `const s = await open();
      const full = show(await s.bash('head -c 4M /dev/zero > fill; wc -c < fill; head -c 2M /dev/zero', { outputFile: 'out.bin', maxOutput: 500 }));
      const next = show(await s.bash('rm fill; echo next > file; cat file')); await s.close(); return [full, next];`;
    const mount = [
      '/usr/bin/unshare',
      '-rm',
      'sh',
      '-c',
      `mount -t tmpfs -o size=512k tmpfs '${here.workspace}' && exec "$@"`,
      'sh',
    ];
    const [full, next] = await inMain(here, body, mount);
    expect(full.stderr).toContain('No space left');
    expect(full.limit).toContain('a full disk: the output file is cut off');
    expect(next).toMatchObject({ stdout: 'next\n', exitCode: 0 });
  });

  it.each([
    ['removed', 'fs.rmSync(file);'],
    ['broken', "fs.writeFileSync(file, 'sandboxed_envs: [');"],
    ['opened to others', 'fs.chmodSync(file, 0o644);'],
  ])('a secrets file that is %s: the running session goes on, the next one is refused', async (_, change) => {
    const result = await inMain(
      scene(user),
      `const file = scene.home + '/users/greg/secrets.yaml'; const s = await open(); ${change}
       const r = show(await s.bash('echo $GITHUB_TOKEN')); const next = await refused(open()); await s.close(); return [r.stdout, next];`,
    );
    expect(result).toMatchObject([
      'ghp-greg-2222-cccc\n',
      { kind: 'secrets', where: expect.stringContaining('users/greg/secrets.yaml') },
    ]);
  });

  it('a workspace that was replaced meanwhile is not used', async () => {
    const result = await inMain(
      scene(user),
      `const s = await open(); fs.renameSync(scene.workspace, scene.workspace + '.old'); fs.symlinkSync('/etc', scene.workspace);
       const link = await refused(s.bash('ls')); fs.rmSync(scene.workspace); fs.mkdirSync(scene.workspace);
       const other = await refused(s.bash('ls')); await s.close(); return [link, other];`,
    );
    expect(result).toMatchObject([
      { message: expect.stringContaining('symbolic link') },
      { message: expect.stringContaining('taken its place') },
    ]);
  });
});

describe('F5: without a barrier', () => {
  it('nothing runs, and the message says what, why and how to mend it', async () => {
    const here = scene('root');
    put(here, 'skills/my-skill/SKILL.md', '# Mine\n');
    put(here, 'skills/my-skill/scripts/run.sh', 'touch /workspace/ran\n');
    const [bash, skill] = await inMain(
      here,
      `const s = await open({ skills: [scene.skills] });
       const all = [await refused(s.bash('touch ran')), await refused(s.runSkill('my-skill'))]; await s.close(); return all;`,
      without('namespaces'),
    );
    for (const refusal of [bash, skill])
      expect(refusal).toMatchObject({
        kind: 'security',
        message: expect.stringMatching(/^SECURITY ERROR: .*user namespaces are not allowed here/),
        hint: expect.stringContaining('cordon doctor'),
      });
    expect(skill.message).toContain("'my-skill'");
    expect(readdirSync(here.workspace)).toEqual([]);
  });

  it('a bubblewrap that cannot make namespaces is none', async () => {
    const here = scene('root');
    writeFileSync(
      join(here.root, 'bwrap'),
      '#!/bin/sh\necho "bwrap: No permissions to create a new namespace" >&2\nexit 1\n',
      { mode: 0o755 },
    );
    const broken = ['/usr/bin/bwrap', '--dev-bind', '/', '/', '--ro-bind', join(here.root, 'bwrap'), '/usr/bin/bwrap'];
    const refusal = await inMain(
      here,
      `const s = await open(); const r = await refused(s.bash('touch ran')); await s.close(); return r;`,
      [...broken, ...without('userns')],
    );
    expect(refusal.message).toMatch(/SECURITY ERROR.*user namespaces are not allowed here/);
    expect(readdirSync(here.workspace)).toEqual([]);
  });

  it('bubblewrap holds a session where only its namespaces are allowed', async () => {
    const result = await inMain(
      scene('root'),
      `const s = await open(); const all = show(await s.bash('env | grep TOKEN; pwd')); await s.close(); return all;`,
      without('userns'),
    );
    expect(result).toMatchObject({ exitCode: 0, stdout: 'GITHUB_TOKEN=ghp-greg-2222-cccc\n/workspace\n' });
  });
});

describe('where the launcher is not there', () => {
  it('nothing runs', async () => {
    const here = scene('root');
    const launcher = join(installedPackage(), 'dist/native/cordon-launch');
    const refusal = await inMain(
      here,
      `const s = await open(); const r = await refused(s.bash('touch ran')); await s.close(); return r;`,
      ['/usr/bin/bwrap', '--dev-bind', '/', '/', '--ro-bind', '/dev/null', launcher],
    );
    expect(refusal).toMatchObject({ kind: 'security', message: expect.stringMatching(/^SECURITY ERROR: /) });
    expect(readdirSync(here.workspace)).toEqual([]);
  });
});
