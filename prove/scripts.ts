/** Python that connects and prints what it is told there. */
export const connectTo = (place: string) => connect(`socket.AF_UNIX`, JSON.stringify(place));
export const connectAbstract = (name: string) => connect(`socket.AF_UNIX`, `'\\0' + ${JSON.stringify(name)}`);

function connect(family: string, address: string): string {
  return `
import socket
try:
    s = socket.socket(${family})
    s.connect(${address})
    print(s.recv(1000).decode())
except OSError as error: print(error)
`;
}

/** Python that calls the kernel directly: `call(number, …)` gives back the result, or the negative error number. */
export const SYSCALL = `
import ctypes, os, platform
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
ARM = platform.machine() == 'aarch64'
def call(x64, arm, *args):
    given = [ctypes.c_long(a) if isinstance(a, int) else a for a in args]
    result = libc.syscall(ctypes.c_long(arm if ARM else x64), *given)
    return -ctypes.get_errno() if result < 0 else result
`;

/** Tries to write to each place, as planted code would be; what the host keeps is looked at afterwards. */
export const writeTo = (places: readonly string[], text: string) =>
  places.map((place) => `mkdir -p "$(dirname "${place}")"; echo '${text}' >> "${place}"`).join('\n');

/** Runs the command on a pseudo-terminal of its own, as its controlling terminal, and passes on what it prints. */
export const onTerminal = [
  'python3',
  '-c',
  `
import os, pty, sys
pid, terminal = pty.fork()
if pid == 0: os.execvp(sys.argv[1], sys.argv[1:])
try:
    while text := os.read(terminal, 4096): os.write(1, text)
except OSError: pass
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
`,
] as const;

/** Starts the command with an environment block as only execve itself can make it: names twice, without a name, not in any encoding. */
export const withBlock = (...entries: readonly (string | Buffer)[]) => [
  'python3',
  '-c',
  `
import ctypes, os, sys
entries = [bytes.fromhex(text) for text in sys.argv[1].split(',')]
entries += [f'{name}={os.environ[name]}'.encode() for name in ('PATH', 'HOME')]
argv = [os.fsencode(text) for text in sys.argv[2:]]
strings = lambda items: (ctypes.c_char_p * (len(items) + 1))(*items, None)
for folder in ('', *(f + '/' for f in os.environ['PATH'].split(':'))):
    ctypes.CDLL(None).execve(os.fsencode(folder) + argv[0], strings(argv), strings(entries))
`,
  entries.map((entry) => Buffer.from(entry).toString('hex')).join(','),
];

/** The block the command itself was given: a shell would leave out what it can't name. */
export const OWN_BLOCK = `print(open('/proc/self/environ', 'rb').read())`;

/** Mounts something in a namespace of its own, as an administrator would have for all, and goes on as the user. */
export function mounting(
  { uid, gid }: { readonly uid: number; readonly gid: number },
  script: string,
  ...more: readonly string[]
): readonly string[] {
  const become = process.getuid?.() === 0 ? `setpriv --reuid ${uid} --regid ${gid} --clear-groups` : '';
  const apart = process.getuid?.() === 0 ? [] : ['--map-root-user', '--pid', '--fork', '--mount-proc'];
  return [
    'unshare',
    '--mount',
    '--propagation',
    'private',
    ...apart,
    ...more,
    '/bin/sh',
    '-c',
    `${script} && ${become} "$@"; exit $?`,
    'sh',
  ];
}

/** Gives the canary to whoever connects to an abstract socket. */
export const ABSTRACT_LISTENER = `
import socket, sys
server = socket.socket(socket.AF_UNIX)
server.bind('\\0' + sys.argv[1])
server.listen()
print('ready', flush=True)
while True: server.accept()[0].sendall(sys.argv[2].encode())
`;

/** A shell that holds the caller's environment and stays. */
export const SHELL = ['/bin/sh', '-c', '"$@"; exit $?', 'sh'] as const;
