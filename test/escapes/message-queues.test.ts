import { spawnSync } from 'node:child_process';
import { onTestFinished } from 'vitest';
import { wayOut } from '../support/escape.ts';
import { noArgument, withPlan } from '../support/escape-off.ts';
import { SYSCALL } from '../support/escape-probes.ts';

const nameOf = (canary: string) => `cordon-${canary.slice(-12)}`;

const HOLD = `
${SYSCALL}
import sys
name = ctypes.c_char_p(sys.argv[1].encode())
text = sys.argv[2].encode()
queue = call(240, 180, name, 0o102, 0o600, ctypes.c_void_p())
call(242, 182, queue, ctypes.c_char_p(text), len(text), 0, ctypes.c_void_p())
print('ready', flush=True)
sys.stdin.read()
`;

/** A queue outlives its maker, and a user may have few of them. */
const UNLINK = `
${SYSCALL}
import sys
call(241, 181, ctypes.c_char_p(sys.argv[1].encode()))
`;

const RECEIVE = (name: string) => `
${SYSCALL}
queue = call(240, 180, ctypes.c_char_p(b'${name}'), 0o4000, 0, ctypes.c_void_p())
text = ctypes.create_string_buffer(8192)
print(queue, queue >= 0 and call(243, 183, queue, text, 8192, ctypes.c_void_p(), ctypes.c_void_p()), text.value)
`;

wayOut('POSIX message queues of the host', {
  plant: (scene) => {
    onTestFinished(() => void spawnSync('python3', ['-c', UNLINK, nameOf(scene.canary)]));
    return scene.process(['python3', '-c', HOLD, nameOf(scene.canary), scene.canary], { PATH: '/usr/bin:/bin' });
  },
  probe: ({ canary }) => ({ python: RECEIVE(nameOf(canary)) }),
  off: withPlan('the IPC namespace', noArgument('--unshare-ipc')),
});
