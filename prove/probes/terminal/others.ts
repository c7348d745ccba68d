import type { Probe } from '../../probe.ts';
import type { Scene } from '../../scene.ts';

const names = new WeakMap<Scene, string>();

/** A terminal of the user's, as another window would have it, where something was typed. */
const WINDOW = `
import os, sys
window, terminal = os.openpty()
os.write(window, sys.argv[1].encode() + b'\\n')
print(os.ttyname(terminal), flush=True)
sys.stdin.read()
`;

async function plant(scene: Scene): Promise<void> {
  names.set(scene, (await scene.process(['python3', '-c', WINDOW, scene.canary])).ready);
}

export const READING_OTHERS: Probe = {
  id: 'terminal/reading-others',
  title: "reading what is typed in the user's other terminals",
  gives: 'passwords and commands from every other window',
  planted: 'another terminal of the user where a secret was typed',
  tried: 'opening it in /dev/pts and reading',
  reference: 'https://man7.org/linux/man-pages/man4/pts.4.html',
  promise: 'processes',
  plant,
  trial: (scene) => ({
    python: `
import os
try: print(os.read(os.open('${names.get(scene)}', os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK), 100).decode())
except OSError as error: print(error)`,
  }),
};

export const WRITING_TO_OTHERS: Probe = {
  id: 'terminal/writing-to-others',
  title: "writing to the user's other terminals",
  gives: 'false prompts and control sequences in every other window',
  planted: 'another terminal of the user',
  tried: 'opening it in /dev/pts and writing',
  reference: 'https://man7.org/linux/man-pages/man4/pts.4.html',
  promise: 'processes',
  plant,
  trial: (scene) => ({
    python: `
import os
try: print('LEAKED', os.write(os.open('${names.get(scene)}', os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK), b'Password: '))
except OSError as error: print(error)`,
  }),
};

/** A terminal that answers the question for the clipboard, as some do. */
const ANSWERING = `
import base64, os, pty, sys
pid, terminal = pty.fork()
if pid == 0: os.execvp(sys.argv[2], sys.argv[2:])
answer = b'\\x1b]52;c;' + base64.b64encode(sys.argv[1].encode()) + b'\\x07\\n'
try:
    while text := os.read(terminal, 4096):
        os.write(1, text)
        if b']52;c;?' in text: os.write(terminal, answer)
except OSError: pass
os.waitpid(pid, 0)
`;

const ASK = `
import base64, os, re, select, termios
def ask(terminal):
    mode = termios.tcgetattr(terminal)
    mode[3] &= ~termios.ECHO
    termios.tcsetattr(terminal, termios.TCSANOW, mode)
    os.write(terminal, b'\\x1b]52;c;?\\x07')
    if not select.select([terminal], [], [], 2)[0]: return 'no answer'
    return base64.b64decode(re.search(rb'52;c;([^\\x07]*)', os.read(terminal, 4096))[1]).decode()
try: print(ask(os.open('/dev/tty', os.O_RDWR)))
except OSError as error: print(error)
`;

export const CLIPBOARD: Probe = {
  id: 'terminal/clipboard',
  title: 'asking the terminal for the clipboard (OSC 52)',
  gives: 'what the user copied last: often a password. Whoever may write to a terminal may ask it, if it answers',
  planted: 'a terminal that tells the clipboard to whoever asks, as some do',
  tried: 'writing the question to /dev/tty and reading the answer',
  reference: 'https://invisible-island.net/xterm/ctlseqs/ctlseqs.html#h3-Operating-System-Commands',
  promise: 'nothing',
  starter: ({ canary }) => ['python3', '-c', ANSWERING, canary],
  trial: () => ({ python: ASK }),
};
