import type { Probe } from '../../probe.ts';

/** Python that prepares `fd`, and becomes the command with it as descriptor 8. The canary is `sys.argv[1]`. */
const passing = (prepare: string) => `
import os, socket, sys
secret = sys.argv[1].encode()
${prepare}
os.dup2(fd, 8)
os.execvp(sys.argv[2], sys.argv[2:])
`;

const LEFT_OPEN = 'https://cwe.mitre.org/data/definitions/403.html';

export const MEMORY_FILE: Probe = {
  id: 'descriptors/memory-file',
  title: 'an anonymous file in memory that the caller left open',
  gives: 'secrets that were kept off the disk on purpose',
  planted: 'a memfd with a secret as descriptor 8',
  tried: 'reading it',
  reference: 'https://man7.org/linux/man-pages/man2/memfd_create.2.html',
  promise: 'processes',
  starter: ({ canary }) => [
    ...['python3', '-c', passing("fd = os.memfd_create('secret', 0)\nos.write(fd, secret)"), canary],
  ],
  trial: () => ({
    sh: 'for at in self $PPID; do case $(readlink /proc/$at/fd/8) in /memfd:secret*) cat /proc/$at/fd/8 ;; esac; done',
  }),
};

export const PIPE: Probe = {
  id: 'descriptors/pipe',
  title: 'a pipe that the caller left open',
  gives: 'what another program is being told: a password on its way to gpg, a token on its way to git',
  planted: 'a pipe with a secret in it as descriptor 8',
  tried: 'reading it',
  reference: LEFT_OPEN,
  promise: 'processes',
  starter: ({ canary }) => [
    ...['python3', '-c', passing('fd, into = os.pipe()\nos.write(into, secret)\nos.close(into)'), canary],
  ],
  trial: () => ({ sh: 'cat <&8' }),
};

// A connection to a daemon that is already logged in: the other end waits with its answer until it is asked.
const LOGGED_IN = `
mine, theirs = socket.socketpair()
if os.fork() == 0:
    theirs.close()
    while question := mine.recv(100): mine.sendall(secret)
    os._exit(0)
mine.close()
fd = theirs.fileno()
`;

const ASK = `
import os, socket
for fd in range(3, 64):
    try:
        s = socket.socket(fileno=fd)
        s.sendall(b'?')
        print(s.recv(100).decode())
    except OSError: pass
`;

export const SOCKET: Probe = {
  id: 'descriptors/socket',
  title: 'a connected socket that the caller left open',
  gives: 'a conversation with a daemon that takes the command for the user',
  planted: 'a connection to a process that answers with a secret, as descriptor 8',
  tried: 'asking over it',
  reference: LEFT_OPEN,
  promise: 'processes',
  starter: ({ canary }) => ['python3', '-c', passing(LOGGED_IN), canary],
  trial: () => ({ python: ASK }),
};

// Takes what descriptor 9 is in the process behind the pidfd.
const TAKE = `
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
fd = libc.syscall(438, 8, 9, 0)
print(os.pread(fd, 100, 0).decode() if fd >= 0 else os.strerror(ctypes.get_errno()))
`;

const HOLDER = `
ready, told = os.pipe()
holder = os.fork()
if holder == 0:
    kept = os.memfd_create('kept', 0)
    os.write(kept, secret)
    os.dup2(kept, 9)
    os.write(told, b'!')
    for fd in (0, 1, 2): os.close(fd)
    import signal
    signal.pause()
os.read(ready, 1)
fd = os.pidfd_open(holder)
`;

export const PROCESS: Probe = {
  id: 'descriptors/process',
  title: 'a handle of another process (pidfd) that the caller left open',
  gives: 'everything that process has open, and the power to end it, whatever namespaces lie between',
  planted: 'a pidfd of a process that holds a secret in memory, as descriptor 8',
  tried: 'pidfd_getfd over it',
  reference: 'https://man7.org/linux/man-pages/man2/pidfd_getfd.2.html',
  promise: 'processes',
  starter: ({ canary }) => ['python3', '-c', passing(HOLDER), canary],
  trial: () => ({ python: TAKE }),
};

// Not inherited: only whoever reaches into the caller gets at it.
const KEEPER = `
import os, subprocess, sys
fd = os.memfd_create('kept')
os.write(fd, sys.argv[1].encode())
os.dup2(fd, 9, inheritable=False)
sys.exit(subprocess.run(sys.argv[2:], close_fds=False).returncode)
`;

export const OF_THE_CALLER: Probe = {
  id: 'descriptors/of-the-caller',
  title: 'what the caller keeps for itself, through /dev/fd of its ancestors',
  gives: 'files that the caller closed for the command as it should',
  planted: 'a memory file that the caller holds as descriptor 9 and does not hand on',
  tried: 'opening fd/9 of every ancestor',
  reference: 'https://man7.org/linux/man-pages/man5/proc_pid_fd.5.html',
  promise: 'processes',
  starter: ({ canary }) => ['python3', '-c', KEEPER, canary],
  trial: () => ({
    sh: `
pid=$PPID
while [ "$pid" -gt 0 ]; do
  case $(readlink /proc/$pid/fd/9) in /memfd:kept*) cat /proc/$pid/fd/9 && break ;; esac
  pid=$(cut -d' ' -f4 /proc/$pid/stat)
done`,
  }),
};
