import { wayOut } from '../support/escape.ts';
import { FILTER } from '../support/escape-off.ts';
import { SYSCALL } from '../support/escape-probes.ts';

// Both doors to foreign memory: /proc/PID/mem and process_vm_readv.
const READ = `
${SYSCALL}
def search(pid, start, size):
    with open(f'/proc/{pid}/mem', 'rb') as memory:
        memory.seek(start)
        yield memory.read(size)
    into = ctypes.create_string_buffer(size)
    vector = lambda at: (ctypes.c_size_t * 2)(at, size)
    call(310, 270, int(pid), vector(ctypes.addressof(into)), 1, vector(start), 1, 0)
    yield into.raw
for pid in filter(str.isdigit, os.listdir('/proc')):
    try:
        for line in open(f'/proc/{pid}/maps'):
            if '[heap]' not in line and '[stack]' not in line: continue
            start, end = (int(part, 16) for part in line.split()[0].split('-'))
            for text in search(pid, start, end - start):
                at = text.find(b'canary-')
                if at >= 0: print(text[at:at + 60])
    except OSError: pass
`;

wayOut('reading the memory of other processes', {
  plant: (scene) => scene.process(['/bin/sh', '-c', 'echo ready; read line', 'sh', scene.canary]),
  probe: () => ({ python: READ }),
  off: FILTER,
});
