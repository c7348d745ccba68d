import { rmSync } from 'node:fs';
import type { Probe } from '../../probe.ts';
import type { Scene } from '../../scene.ts';
import { SYSCALL } from '../../scripts.ts';

const GIVES = 'what the programs of the user tell each other behind the file system';
const nameOf = ({ canary }: Scene) => `cordon-${canary.slice(-12)}`;
/** Keys of System V are numbers; this one is as good as unique. */
const keyOf = ({ canary }: Scene) => Number.parseInt(canary.slice(-7), 16) + 1;
const hold = (script: string, scene: Scene) =>
  scene.process(['python3', '-c', script, String(keyOf(scene)), scene.canary]);

const HOLD_MEMORY = `
${SYSCALL}
import sys
libc.shmat.restype = ctypes.c_void_p
id = call(29, 194, int(sys.argv[1]), 4096, 0o1600)
ctypes.memmove(libc.shmat(id, None, 0), sys.argv[2].encode(), len(sys.argv[2]))
print('ready', flush=True)
sys.stdin.read()
`;

const READ_MEMORY = (key: number) => `
${SYSCALL}
libc.shmat.restype = ctypes.c_void_p
id = call(29, 194, ${key}, 0, 0)
print(id)
if id >= 0: print(ctypes.string_at(libc.shmat(id, None, 0o10000)))
`;

const REMOVE = `
${SYSCALL}
import sys
key = int(sys.argv[1])
libc.shmctl(call(29, 194, key, 0, 0), 0, None)
libc.msgctl(call(68, 186, key, 0), 0, None)
call(241, 181, ctypes.c_char_p(sys.argv[2].encode()))
`;

/** They outlive their makers, and a user may have few of them. */
const removed = (scene: Scene) =>
  scene.atEnd(() => scene.command(['python3', '-c', REMOVE, String(keyOf(scene)), nameOf(scene)]));

export const SHARED_MEMORY: Probe = {
  id: 'kernel/shared-memory',
  title: 'System V shared memory of the host',
  gives: GIVES,
  planted: 'a segment with a secret, made by another process of the user',
  tried: 'attaching it by its key',
  reference: 'https://man7.org/linux/man-pages/man7/sysvipc.7.html',
  promise: 'processes',
  plant: (scene) => {
    removed(scene);
    return hold(HOLD_MEMORY, scene);
  },
  trial: (scene) => ({ python: READ_MEMORY(keyOf(scene)) }),
};

const HOLD_MESSAGE = `
${SYSCALL}
import sys
queue = call(68, 186, int(sys.argv[1]), 0o1600)
text = sys.argv[2].encode()
call(69, 189, queue, ctypes.c_char_p((1).to_bytes(8, 'little') + text), len(text), 0)
print('ready', flush=True)
sys.stdin.read()
`;

const RECEIVE_MESSAGE = (key: number) => `
${SYSCALL}
queue = call(68, 186, ${key}, 0)
text = ctypes.create_string_buffer(4096)
print(queue, queue >= 0 and call(70, 188, queue, text, 4000, 0, 0o4000), text.raw[8:100])
`;

export const MESSAGES: Probe = {
  id: 'kernel/messages',
  title: 'System V message queues of the host',
  gives: GIVES,
  planted: 'a queue with a message, made by another process of the user',
  tried: 'receiving the message by the key of the queue',
  reference: 'https://man7.org/linux/man-pages/man7/sysvipc.7.html',
  promise: 'processes',
  plant: (scene) => {
    removed(scene);
    return hold(HOLD_MESSAGE, scene);
  },
  trial: (scene) => ({ python: RECEIVE_MESSAGE(keyOf(scene)) }),
};

const placeOf = (scene: Scene) => `/dev/shm/${nameOf(scene)}`;

export const POSIX_SHARED_MEMORY: Probe = {
  id: 'kernel/posix-shared-memory',
  title: 'POSIX shared memory of the host',
  gives: `${GIVES}: browsers and databases keep much of it there`,
  planted: 'an object with a secret in /dev/shm',
  tried: 'reading it',
  reference: 'https://man7.org/linux/man-pages/man7/shm_overview.7.html',
  promise: 'processes',
  plant: (scene) => {
    scene.atEnd(() => rmSync(placeOf(scene), { force: true }));
    scene.file(placeOf(scene));
  },
  trial: (scene) => ({ sh: `cat ${placeOf(scene)}` }),
};

const HOLD_QUEUE = (name: string) => `
${SYSCALL}
import sys
text = sys.argv[2].encode()
queue = call(240, 180, ctypes.c_char_p(b'${name}'), 0o102, 0o600, ctypes.c_void_p())
call(242, 182, queue, ctypes.c_char_p(text), len(text), 0, ctypes.c_void_p())
print('ready', flush=True)
sys.stdin.read()
`;

const RECEIVE = (name: string) => `
${SYSCALL}
queue = call(240, 180, ctypes.c_char_p(b'${name}'), 0o4000, 0, ctypes.c_void_p())
text = ctypes.create_string_buffer(8192)
print(queue, queue >= 0 and call(243, 183, queue, text, 8192, ctypes.c_void_p(), ctypes.c_void_p()), text.value)
`;

export const POSIX_MESSAGES: Probe = {
  id: 'kernel/posix-messages',
  title: 'POSIX message queues of the host',
  gives: GIVES,
  planted: 'a queue with a message, made by another process of the user',
  tried: 'opening it by its name and receiving',
  reference: 'https://man7.org/linux/man-pages/man7/mq_overview.7.html',
  promise: 'processes',
  plant: (scene) => {
    removed(scene);
    return hold(HOLD_QUEUE(nameOf(scene)), scene);
  },
  trial: (scene) => ({ python: RECEIVE(nameOf(scene)) }),
};
