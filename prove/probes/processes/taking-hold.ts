import type { Probe } from '../../probe.ts';
import { SYSCALL } from '../../scripts.ts';
import { seeking, standIn } from './stand-in.ts';
import { untraceable } from './tracing.ts';

const PTRACE = 'https://man7.org/linux/man-pages/man2/ptrace.2.html';

const ATTACH = `
ATTACH, DETACH = 16, 17
for pid in stand_ins():
    if call(101, 117, ATTACH, pid, 0, 0) == 0:
        os.waitpid(pid, 0x40000000)
        print('LEAKED', pid)
        call(101, 117, DETACH, pid, 0, 0)
`;

export const TRACING: Probe = {
  id: 'processes/tracing',
  title: 'tracing a process of the user outside',
  gives: 'all that a program outside knows and does, and its hands: every call can be changed',
  planted: 'a process of the user',
  tried: 'PTRACE_ATTACH to it',
  reference: PTRACE,
  promise: 'processes',
  inapplicable: untraceable,
  plant: (scene) => standIn(scene),
  trial: (scene) => ({ python: SYSCALL + seeking(scene) + ATTACH }),
};

// Seized, it goes on as if nothing had happened, and is let go when this ends.
const SEIZE = `
${SYSCALL}
parent = os.getppid()
ptrace = lambda request: call(101, 117, request, parent, 0, 0)
if parent == 0: print('there is none')
elif ptrace(0x4206) == 0: print('LEAKED by SEIZE')
elif ptrace(16) == 0 or ptrace(16 | 1 << 32) == 0:
    os.waitpid(parent, 0x40000000)
    print('LEAKED by ATTACH')
    ptrace(17)
`;

export const TRACING_THE_PARENT: Probe = {
  id: 'processes/tracing-the-parent',
  title: 'tracing the parent: the shell, or what set the sandbox up',
  gives: 'the process that has seen the caller’s environment and the set-up, and may hold what it took away',
  planted: 'nothing: the parent is there',
  tried: 'PTRACE_SEIZE and PTRACE_ATTACH of the parent',
  reference: PTRACE,
  promise: 'processes',
  inapplicable: untraceable,
  trial: () => ({ python: SEIZE }),
};

const TAKE = `
for pid in stand_ins():
    process = call(434, 434, pid, 0)
    fd = call(438, 438, process, 9, 0)
    print(process, fd)
    if fd >= 0: show(os.pread(fd, 100, 0))
`;

export const TAKING_DESCRIPTORS: Probe = {
  id: 'processes/taking-descriptors',
  title: 'taking an open descriptor out of another process (pidfd_getfd)',
  gives: 'connections that are logged in already, files that only that program may open',
  planted: 'a process of the user that holds a deleted file with a secret',
  tried: 'pidfd_open and pidfd_getfd of its descriptor 9',
  reference: 'https://man7.org/linux/man-pages/man2/pidfd_getfd.2.html',
  promise: 'processes',
  inapplicable: untraceable,
  plant: (scene) => standIn(scene, `exec 9<${scene.file('opened')}; rm ${scene.path('opened')}; echo ready; read line`),
  trial: (scene) => ({ python: SYSCALL + seeking(scene) + TAKE }),
};
