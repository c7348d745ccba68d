import { describe, expect, it } from 'vitest';
import { DONE, planted } from '../../prove/attempt.ts';
import { SYSCALL } from '../../prove/scripts.ts';
import { wayOut } from '../support/escape.ts';
import { NO_LANDLOCK, noLine, type Off, withPlan } from '../support/escape-off.ts';
import { throughCordon } from '../support/escape-run.ts';
import { Scene } from '../support/escape-scene.ts';
import { USERS } from '../support/users.ts';

// Debuggers and leak checkers attach, so the system call filter lets them. What keeps our own process inside from being
// taken hold of is that nobody may look into it, and where the kernel has it that it is in no Landlock domain.
const ATTACH = (pid: string) => `
${SYSCALL}
import subprocess
neighbour = subprocess.Popen(['cat'], stdin=subprocess.PIPE)
for request in (0x4206, 16):
    if call(101, 117, request, ${pid}, 0, 0) == 0:
        print('LEAKED', request)
        break
neighbour.kill()
`;

/** Answers `nobody may look into me` with success and nothing else. */
const DUMPABLE = `
import ctypes, os, platform, struct, sys
number = {'x86_64': 157, 'aarch64': 167}[platform.machine()]
code = [(0x20, 0, 0, 0), (0x15, 0, 5, number), (0x20, 0, 0, 16), (0x15, 0, 3, 4), (0x20, 0, 0, 24), (0x15, 0, 1, 0),
        (6, 0, 0, 0x50000), (6, 0, 0, 0x7fff0000)]
block = b''.join(struct.pack('HBBI', *one) for one in code)
room = ctypes.create_string_buffer(block)
program = struct.pack('HxxxxxxQ', len(code), ctypes.addressof(room))
libc = ctypes.CDLL(None, use_errno=True)
assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, ctypes.c_char_p(program)) == 0
os.execv(sys.argv[1], sys.argv[1:])
`;

const without = (off: Off): Off => ({
  without: `${off.without} and with a first process that others may look into`,
  run: (attempt) => off.run({ ...attempt, starter: [...attempt.starter, '/usr/bin/python3', '-c', DUMPABLE] }),
});

wayOut(
  { title: 'tracing the first process of the sandbox, which is ours', trial: () => ({ python: ATTACH('1') }) },
  { off: without(withPlan('landlock-scope', NO_LANDLOCK)) },
);

describe.each(USERS)('as %s', (user) => {
  it('a process of the sandbox can be traced by another one, as debuggers do', async () => {
    const attempt = await planted({ trial: () => ({ python: ATTACH('neighbour.pid') }) }, new Scene(user));
    const { stdout } = await throughCordon({ ...attempt, scene: attempt.scene as Scene, flags: [] });
    expect(stdout).toContain('LEAKED');
    expect(stdout).toContain(DONE);
  });

  // With the system call filter gone and Landlock too, it is this alone.
  it('nobody looks into the first process, filter or not', async () => {
    const scene = new Scene(user);
    const attempt = { ...(await planted({ trial: () => ({ python: ATTACH('1') }) }, scene)), scene, flags: [] };
    const off = withPlan('landlock-scope and seccomp', NO_LANDLOCK, noLine('seccomp '));
    const { stdout } = await off.run(attempt);
    expect(stdout).toContain(DONE);
    expect(stdout).not.toContain('LEAKED');
  });
});
