import { spawn } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { openFolder } from '../support/project.ts';

const BEGIN = `#!/bin/bash
export PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t cgroup2 none /sys/fs/cgroup
mount -t tmpfs -o mode=1777 tmpfs /mnt
cd /mnt
`;
const END = '\nsync; echo o > /proc/sysrq-trigger; sleep 60\n';

/**
 * Runs a script as the first process of a kernel of its own, with version 2 of control groups and nothing of version 1. It sees the files
 * of this machine and can change none; /mnt is empty memory. The kernel is a program (user-mode Linux): no rights are needed.
 */
export async function inOwnKernel(script: string): Promise<string> {
  const folder = openFolder('kernel');
  const init = join(folder, 'init');
  writeFileSync(init, `${BEGIN}${script}${END}`);
  chmodSync(init, 0o755);
  const args = ['mem=1024M', 'rootfstype=hostfs', 'rootflags=/', 'ro', `init=${init}`, 'quiet'];
  const consoles = ['con=null', 'con0=null,fd:1', 'ssl=null'];
  const child = spawn('linux.uml', [...args, ...consoles], {
    env: { PATH: '/usr/bin:/bin', HOME: folder, TMPDIR: folder, NODE_V8_COVERAGE: undefined },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [said] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return said.replaceAll('\r\n', '\n');
}
