/** Python that connects and prints what it is told there. */
export const connectTo = (place: string) => connect(`socket.AF_UNIX`, JSON.stringify(place));
export const connectAbstract = (name: string) => connect(`socket.AF_UNIX`, `'\\0' + ${JSON.stringify(name)}`);
export const connectPort = (port: number) => connect(`socket.AF_INET`, `('127.0.0.1', ${port})`);

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
