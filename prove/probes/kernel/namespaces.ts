import type { Probe } from '../../probe.ts';
import type { Scene } from '../../scene.ts';
import { SYSCALL } from '../../scripts.ts';

/** Few enough to be used up at once, and more than any one command has a need for. */
const ALLOWED = 2048;

const wordOf = ({ work }: Scene, word: string) => `${work}/${word}`;

/** A user namespace with a limit of its own, so that the rest of the machine notices nothing; one process of the user's in it tries what a next launch would. */
const LIMITED = `
import ctypes, os, sys, time
uid, gid, full, tried = os.getuid(), os.getgid(), sys.argv[1], sys.argv[2]
libc = ctypes.CDLL(None, use_errno=True)
def write(path, text):
    with open(path, 'w') as file: file.write(text)
if libc.unshare(0x10000000) != 0: sys.exit('no user namespace can be made')
write('/proc/self/setgroups', 'deny')
write('/proc/self/uid_map', f'{uid} {uid} 1')
write('/proc/self/gid_map', f'{gid} {gid} 1')
write('/proc/sys/user/max_user_namespaces', '${ALLOWED}')
launch = os.fork()
if launch == 0: os.execvp(sys.argv[3], sys.argv[3:])
def next_launch():
    child = os.fork()
    if child == 0: os._exit(0 if libc.unshare(0x10000000) == 0 else 1)
    return os.waitpid(child, 0)[1] == 0
while os.waitpid(launch, os.WNOHANG)[0] == 0:
    if os.path.exists(full) and not os.path.exists(tried):
        if not next_launch(): print('LEAKED', flush=True)
        write(tried, '')
    time.sleep(0.01)
`;

/** Namespaces inside each other, since only the last of each row has to be kept. */
const USE_UP = (full: string, tried: string) => `
import os, time
${SYSCALL}
def write(path, text):
    with open(path, 'w') as file: file.write(text)
uid, gid = os.getuid(), os.getgid()
def one_row():
    made = 0
    while call(272, 97, 0x10000000) == 0:
        made += 1
        try:
            write('/proc/self/setgroups', 'deny')
            write('/proc/self/uid_map', f'{uid} {uid} 1')
            write('/proc/self/gid_map', f'{gid} {gid} 1')
        except OSError: break
    return made
rows = []
while len(rows) < ${ALLOWED}:
    reads, writes = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writes, bytes([one_row()]))
        time.sleep(600)
        os._exit(0)
    rows.append(child)
    os.close(writes)
    said = os.read(reads, 1)
    os.close(reads)
    if said in (b'', b'\\0'): break
write(${JSON.stringify(full)}, '')
for _ in range(1000):
    if os.path.exists(${JSON.stringify(tried)}): break
    time.sleep(0.01)
for row in rows: os.kill(row, 9)
`;

export const NAMESPACES_USED_UP: Probe = {
  id: 'kernel/namespaces-used-up',
  title: 'using up the namespaces of the user, so that the next launch gets none',
  gives: 'a next launch that goes on without its barrier, if it takes that for a machine without namespaces',
  planted: `a limit of ${ALLOWED} user namespaces, and a process that wants one`,
  tried: 'making user namespaces until there are no more',
  reference: 'https://man7.org/linux/man-pages/man7/namespaces.7.html',
  promise: 'processes',
  starter: (scene) => ['python3', '-c', LIMITED, wordOf(scene, 'full'), wordOf(scene, 'tried')],
  trial: (scene) => ({ python: USE_UP(wordOf(scene, 'full'), wordOf(scene, 'tried')) }),
};
