import type { Probe } from '../../probe.ts';
import type { Scene } from '../../scene.ts';
import { SYSCALL } from '../../scripts.ts';
import { seeking, standIn } from './stand-in.ts';
import { untraceable } from './tracing.ts';

const PLANTED = 'a process of the user that has a secret in its memory';

/** Python: `regions(pid)` are where its data lies. */
const searching = (scene: Scene) => `
${SYSCALL}${seeking(scene)}
def regions(pid):
    for line in open(f'/proc/{pid}/maps'):
        start, end = (int(part, 16) for part in line.split()[0].split('-'))
        if '[heap]' in line or '[stack]' in line: yield start, end - start
`;

const READ = `
for pid in stand_ins():
    for start, size in regions(pid):
        with open(f'/proc/{pid}/mem', 'rb') as memory:
            memory.seek(start)
            show(memory.read(size))
`;

export const MEMORY: Probe = {
  id: 'processes/memory',
  title: 'reading the memory of another process through /proc/PID/mem',
  gives: 'secrets that a program holds in its memory alone: keys of an agent, sessions of a browser',
  planted: PLANTED,
  tried: 'finding its data in /proc/PID/maps and reading it from /proc/PID/mem',
  reference: 'https://man7.org/linux/man-pages/man5/proc_pid_mem.5.html',
  promise: 'processes',
  inapplicable: untraceable,
  plant: (scene) => standIn(scene, undefined, { API_TOKEN: scene.canary }),
  trial: (scene) => ({ python: searching(scene) + READ }),
};

const READ_BY_CALL = `
for pid in stand_ins():
    for start, size in regions(pid):
        into = ctypes.create_string_buffer(size)
        vector = lambda at: (ctypes.c_size_t * 2)(at, size)
        print(call(310, 270, pid, vector(ctypes.addressof(into)), 1, vector(start), 1, 0))
        show(into.raw)
`;

export const MEMORY_BY_CALL: Probe = {
  id: 'processes/memory-by-call',
  title: 'reading the memory of another process with process_vm_readv',
  gives: MEMORY.gives,
  planted: PLANTED,
  tried: 'process_vm_readv on its data, which needs no file of /proc',
  reference: 'https://man7.org/linux/man-pages/man2/process_vm_readv.2.html',
  promise: 'processes',
  inapplicable: untraceable,
  plant: (scene) => standIn(scene, undefined, { API_TOKEN: scene.canary }),
  trial: (scene) => ({ python: searching(scene) + READ_BY_CALL }),
};

const WRITE = `
for pid in stand_ins():
    for start, size in regions(pid):
        with open(f'/proc/{pid}/mem', 'r+b', 0) as memory:
            memory.seek(start)
            at = memory.read(size).find(b'MODE=harmless')
            if at < 0: continue
            memory.seek(start + at)
            memory.write(b'MODE=hijacked')
    if b'MODE=hijacked' in open(f'/proc/{pid}/environ', 'rb').read(): print('LEAKED')
`;

export const MEMORY_WRITING: Probe = {
  id: 'processes/memory-writing',
  title: 'writing into the memory of another process',
  gives: "code of one's own in a program outside the sandbox, which may do everything",
  planted: 'a process of the user with a known word in its memory',
  tried: 'overwriting the word through /proc/PID/mem',
  reference: 'https://attack.mitre.org/techniques/T1055/009/',
  promise: 'processes',
  inapplicable: untraceable,
  plant: (scene) => standIn(scene, undefined, { MODE: 'harmless' }),
  trial: (scene) => ({ python: searching(scene) + WRITE }),
};
