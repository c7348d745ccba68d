import { wayOut } from '../support/escape.ts';
import { noArgument, withPlan } from '../support/escape-off.ts';
import { SYSCALL } from '../support/escape-probes.ts';
import type { Scene } from '../support/escape-scene.ts';

const keys = new WeakMap<Scene, number>();
let next = 0x0c0d0000 + (process.pid % 0x10000);

const HOLD = `
${SYSCALL}
import sys
libc.shmat.restype = ctypes.c_void_p
id = call(29, 194, int(sys.argv[1]), 4096, 0o1600)
at = libc.shmat(id, None, 0)
ctypes.memmove(at, sys.argv[2].encode(), len(sys.argv[2]))
print('ready', flush=True)
sys.stdin.read()
libc.shmctl(id, 0, None)
`;

const READ = (key: number) => `
${SYSCALL}
libc.shmat.restype = ctypes.c_void_p
id = call(29, 194, ${key}, 0, 0)
print(id)
if id >= 0: print(ctypes.string_at(libc.shmat(id, None, 0o10000)))
`;

wayOut('System V shared memory of the host', {
  plant: async (scene) => {
    keys.set(scene, next++);
    const argv = ['python3', '-c', HOLD, String(keys.get(scene)), scene.canary];
    await scene.process(argv, { PATH: '/usr/bin:/bin' });
  },
  probe: (scene) => ({ python: READ(keys.get(scene) ?? 0) }),
  off: withPlan('the IPC namespace', noArgument('--unshare-ipc')),
});
