import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cordonProgram, installedPackage } from '../support/cordon.ts';
import { openFolder } from '../support/project.ts';
import { identityOf } from '../support/users.ts';
import { inOwnKernel } from './kernel.ts';

const GROUPS = '/sys/fs/cgroup';
const AS_USER = `setpriv --reuid=${identityOf('cordon-test').uid} --regid=${identityOf('cordon-test').gid} --clear-groups`;

/** A main process that hits the limits of a call, one after the other. */
const MAIN = (library: string) => `
import { openSession } from ${JSON.stringify(library)};
const [home, workspace] = process.argv.slice(2);
const env = { CORDON_HOME: home, PATH: '/usr/bin:/bin' };
const session = await openSession({ user: 'greg', workspace, env, limits: { memory: 64 << 20, processes: 20 } });
const memory = await session.bash("python3 -c 'b = bytearray(128 << 20); print(len(b))'");
const two = await session.bash("python3 -c 'import time; b = bytearray(44 << 20); open(\\"held\\", \\"w\\"); time.sleep(99)' & until [ -e held ]; do sleep 0.1; done; python3 -c 'b = bytearray(44 << 20)'; kill %1; wait");
const processes = await session.bash("python3 -c 'import subprocess as s; [s.Popen([\\"sleep\\", \\"99\\"], stdout=s.DEVNULL, stderr=s.DEVNULL) for _ in range(60)]'");
const fine = await session.bash('echo fine');
await session.close();
console.log('SEEN ' + JSON.stringify({ memory: memory.limit, two: two.limit, processes: processes.limit, fine: fine.stdout.toString(), by: fine.limit }));
`;

/** What the script says about itself, line by line. */
async function seenIn(script: string) {
  const folder = openFolder('main');
  writeFileSync(join(folder, 'main.mjs'), MAIN(join(installedPackage(), 'dist/index.js')));
  const said = await inOwnKernel(`
    main() { "$@" ${process.execPath} ${folder}/main.mjs /mnt/home /mnt/work; }
    doctor() { CORDON_HOME=/mnt/home "$@" ${cordonProgram()} doctor | grep -A2 limits; }
    left() { for group in $(find ${GROUPS} -name 'cordon-*'); do echo "LEFT $group with $(wc -l < $group/cgroup.procs)"; done; }
    mkdir -m 700 home work
    ${script}`);
  const json = /^SEEN (.*)$/m.exec(said)?.[1];
  return { said, seen: json === undefined ? undefined : JSON.parse(json), left: said.match(/^LEFT .*$/gm) ?? [] };
}

const BY_GROUPS = {
  memory: expect.stringContaining('memory limit of 64 MiB'),
  two: expect.stringContaining('memory limit of 64 MiB'),
  processes: expect.stringContaining('the limit of 20 processes'),
  fine: 'fine\n',
};

describe('control groups, version 2', () => {
  it('hold memory and processes of a call as a whole where a group above hands them on', async () => {
    const { said, seen, left } = await seenIn(`
      echo '+memory +pids' > ${GROUPS}/cgroup.subtree_control
      mkdir ${GROUPS}/service; echo $$ > ${GROUPS}/service/cgroup.procs
      main; doctor; left`);
    expect(seen, said).toEqual(BY_GROUPS);
    expect(said).toMatch(/control groups, version 2/);
    expect(left, said).toEqual([]);
  });

  it('hold them for an ordinary user whose group was handed over, as that of a service is', async () => {
    const { said, seen, left } = await seenIn(`
      echo '+memory +pids' > ${GROUPS}/cgroup.subtree_control
      mkdir ${GROUPS}/service; chown -R cordon-test home work ${GROUPS}/service ${GROUPS}/service/cgroup.{procs,subtree_control}
      enter() { echo $BASHPID > ${GROUPS}/service/cgroup.procs; exec "$@"; }
      (main enter ${AS_USER}); left; rmdir ${GROUPS}/service/cordon-*
      echo -memory -pids > ${GROUPS}/service/cgroup.subtree_control
      (doctor enter ${AS_USER}); left`);
    expect(seen, said).toEqual(BY_GROUPS);
    expect(said).toMatch(/control groups, version 2/);
    // Its own, which it has moved to: empty now, and removed by the next start or with the service.
    expect(left, said).toEqual(Array(2).fill(expect.stringMatching(/service\/cordon-\d+-\d+-[-\da-f]+-0 with 0$/)));
  });

  it('are left alone where others are in the group: each process is held by itself, and nobody is moved', async () => {
    const { said, seen, left } = await seenIn(`
      echo '+memory +pids' > ${GROUPS}/cgroup.subtree_control
      mkdir ${GROUPS}/shared; chown -R cordon-test home work ${GROUPS}/shared ${GROUPS}/shared/cgroup.{procs,subtree_control}
      echo $$ > ${GROUPS}/shared/cgroup.procs
      main ${AS_USER}; doctor ${AS_USER}; left`);
    expect(seen, said).toEqual({ ...BY_GROUPS, two: undefined });
    expect(said).toMatch(/resource limits of each process: no control groups can be made here/);
    expect(left, said).toEqual([]);
  });
});
