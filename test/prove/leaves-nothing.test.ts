import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  constants,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cordonProgram, freshHome } from '../support/cordon.ts';
import { environment } from '../support/escape-scene.ts';
import { identityOf, USERS, type User } from '../support/users.ts';
import { only, prove, SOME } from './support.ts';

/** With a short name: sockets are planted in it. */
function temporaryFolder(user: User): string {
  const folder = mkdtempSync(join(tmpdir(), 'p-'));
  const { uid, gid } = identityOf(user);
  chownSync(folder, uid, gid);
  return folder;
}

/** A run that has come to its second launcher, which says so and stays. */
async function halfWay(user: User, temporary: string): Promise<ChildProcess> {
  const folder = freshHome(user);
  const { uid, gid } = identityOf(user);
  const arrived = join(folder, 'arrived');
  execFileSync('mkfifo', [arrived]);
  chmodSync(arrived, 0o666);
  const stay = join(folder, 'stay');
  writeFileSync(stay, `#!/bin/sh\n[ "$1" = --version ] && exit\necho here > ${arrived}\nexec sleep 600\n`, {
    mode: 0o755,
  });
  chmodSync(stay, 0o755);
  // One that leaves a process outside waiting, beside the trial itself.
  const flags = [...only('processes/environ-of-others'), '--under', stay];
  const child = spawn(cordonProgram(), ['prove', ...flags], {
    ...{ uid, gid, cwd: folder, stdio: 'ignore' },
    env: environment({ PATH: '/usr/local/bin:/usr/bin:/bin', HOME: folder, TMPDIR: temporary }),
  });
  const fifo = new Socket({ fd: openSync(arrived, constants.O_RDWR | constants.O_NONBLOCK), writable: false });
  const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`it ended with ${code}`)));
  await Promise.race([once(fifo, 'data'), ended]).finally(() => fifo.destroy());
  ended.catch(() => undefined);
  return child;
}

function processesIn(folder: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readlinkSync(`/proc/${pid}/cwd`).startsWith(folder);
    } catch {
      return false;
    }
  });
}

describe.each(USERS)('as %s', (user) => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('%s ends everything and undoes everything', async (signal, code) => {
    const temporary = temporaryFolder(user);
    const child = await halfWay(user, temporary);
    expect(readdirSync(temporary)).toHaveLength(1);
    expect(processesIn(temporary)).not.toEqual([]);
    child.kill(signal);
    expect(await once(child, 'exit')).toEqual([code, null]);
    expect(readdirSync(temporary)).toEqual([]);
    expect(processesIn(temporary)).toEqual([]);
  });

  it('the next run clears away what a killed one left, and nothing else', async () => {
    const temporary = temporaryFolder(user);
    const { uid, gid } = identityOf(user);
    const child = await halfWay(user, temporary);
    const [left = ''] = readdirSync(temporary);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(statSync(join(temporary, left)).mode & 0o777).toBe(0o700);
    // Alike, but not such a folder: open to others, a link, someone's whose process is alive.
    const alive = `cordon-prove-${[process.pid, startOf(process.pid)].map((n) => n.toString(36)).join('-')}-${left.split('-')[4]}-aaaaaa`;
    mkdirSync(join(temporary, 'cordon-prove-zzzzzz-1-1-aaaaaa'), 0o755);
    symlinkSync('/usr', join(temporary, left.replace(/.{6}$/, 'bbbbbb')));
    mkdirSync(join(temporary, alive), 0o700);
    for (const name of readdirSync(temporary))
      if (name !== left) execFileSync('chown', ['-h', `${uid}:${gid}`, join(temporary, name)]);
    const kept = readdirSync(temporary).filter((name) => name !== left);
    expect(prove(only(SOME[0]), { user, env: { TMPDIR: temporary } }).code).toBe(0);
    expect(readdirSync(temporary)).toEqual(kept);
    expect(processesIn(join(temporary, left))).toEqual([]);
  });

  it('a folder with too long a name is said to be the reason, and keeps nobody waiting', () => {
    const temporary = join(temporaryFolder(user), 'x'.repeat(80));
    mkdirSync(temporary);
    chownSync(temporary, identityOf(user).uid, identityOf(user).gid);
    const { code, stdout } = prove(only('authority/gpg-agent'), { user, env: { TMPDIR: temporary } });
    expect(stdout).toContain('the path of the socket would be too long: set TMPDIR to a folder with a shorter one');
    expect([code, readdirSync(temporary)]).toEqual([0, []]);
  });

  it('a run that is done leaves nothing', () => {
    const temporary = temporaryFolder(user);
    expect(prove(['--under', 'env -i', ...only('authority')], { user, env: { TMPDIR: temporary } }).code).toBe(0);
    expect(readdirSync(temporary)).toEqual([]);
    expect(processesIn(temporary)).toEqual([]);
  });
});

const startOf = (pid: number) => Number(readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)?.split(' ')[19]);
