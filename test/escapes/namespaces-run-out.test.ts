import { describe, expect, it } from 'vitest';
import { cordonProgram } from '../support/cordon.ts';
import { begin, ended } from '../support/escape-run.ts';
import { Scene } from '../support/escape-scene.ts';
import { USERS } from '../support/users.ts';

/** A user namespace of its own in which all that are allowed are taken, as another command of the user would have left it. */
const NONE_LEFT = [
  'python3',
  '-c',
  `
import ctypes, os, signal, sys
uid, gid = os.getuid(), os.getgid()
libc = ctypes.CDLL(None, use_errno=True)
def write(path, text):
    with open(path, 'w') as file: file.write(text)
assert libc.unshare(0x10000000) == 0
write('/proc/self/setgroups', 'deny')
write('/proc/self/uid_map', f'{uid} {uid} 1')
write('/proc/self/gid_map', f'{gid} {gid} 1')
write('/proc/sys/user/max_user_namespaces', '8')
takers = []
while True:
    reads, writes = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writes, b'+' if libc.unshare(0x10000000) == 0 else b'-')
        signal.pause()
    takers.append(child)
    if os.read(reads, 1) == b'-': break
launch = os.fork()
if launch == 0: os.execvp(sys.argv[1], sys.argv[1:])
code = os.waitstatus_to_exitcode(os.waitpid(launch, 0)[1])
for child in takers: os.kill(child, 9)
sys.exit(code)
`,
] as const;

/** What a command says that looks at the key. */
async function seen(scene: Scene, launcher: readonly string[]): Promise<string> {
  const key = scene.file('.ssh/id_rsa');
  const { stdout } = await ended(begin({ scene, env: {}, starter: NONE_LEFT }, [...launcher, 'cat', key]));
  return stdout;
}

// A machine without namespaces is one thing, a command that has taken them all another: the first may be put up with.
describe.each(USERS)('no namespace is left for the next launch of %s', (user) => {
  it('so it starts nothing, rather than something without the barrier', async () => {
    const scene = new Scene(user);
    expect(await seen(scene, [cordonProgram(), 'run', '--'])).not.toContain(scene.canary);
  });

  it('nor does an agent start without it', async () => {
    const scene = new Scene(user);
    expect(await seen(scene, [cordonProgram(), 'run', '--agent', 'claude', '--'])).not.toContain(scene.canary);
  });

  it('and without Cordon the key is there to be read', async () => {
    const scene = new Scene(user);
    expect(await seen(scene, [])).toContain(scene.canary);
  });
});
