import { readFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { cordonProgram, installedPackage } from '../../support/cordon.ts';
import { BASH, cordonRun, EVERYWHERE, quoted, Terminal, UNTIL_INPUT } from './terminal.ts';

const ECHO = `
import sys
print('ready', flush=True)
for line in sys.stdin: print('got ' + line, end='', flush=True)
sys.exit(6)
`;

const TRAPS_INT = `${UNTIL_INPUT}
import sys
signal.signal(signal.SIGINT, lambda *_: (os.write(1, b'trapped\\n'), sys.exit(7)))
os.write(1, b'ready\\n')
until_input()
`;

const SAYS_SIZE = `${UNTIL_INPUT}
def say(*_): os.write(1, b'size %d %d\\n' % tuple(os.get_terminal_size(0)))
signal.signal(signal.SIGWINCH, say)
say()
until_input()
`;

/** As a pager does: the text from its input, the keys from the terminal. */
const PAGER = `
import sys
text = sys.stdin.read().split()
keys = open('/dev/tty')
print('shown', len(text), flush=True)
print('key', keys.readline().strip(), flush=True)
`;

/** Lends the terminal to no one: it leaves it alone until Ctrl-C, and reads a line then. */
const READS_WHEN_CALLED = `
import os, signal
def called(*_):
    os.write(1, b'called\\n')
    os.write(1, b'got ' + os.read(0, 100))
signal.signal(signal.SIGINT, called)
signal.signal(signal.SIGCONT, lambda *_: os.write(1, b'continued\\n'))
os.write(1, b'ready\\n')
while True: signal.pause()
`;

/** As a debugger and a shell do: another group gets the terminal, and then their own again. */
const LENDS = 'set -m; sleep 0.01 & fg; echo lent; read -r line; sleep 0.01 & fg; echo "got $line"; exit 3';

const BLOCKED_STOP = 1n << 19n;

/** Until it runs again itself after a continue, the kernel may stop it at once. */
async function isSupervising(pid: string): Promise<void> {
  for (;;) {
    const [, blocked] = /^SigBlk:\s*(\w+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    if (BigInt(`0x${blocked}`) & BLOCKED_STOP) return;
    await new Promise(setImmediate);
  }
}

/** A shell names a job that it puts in front before it does so. */
async function isInFront(pid: string): Promise<void> {
  const front = () =>
    readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ')[5];
  while (front() !== pid) await new Promise(setImmediate);
}

vi.setConfig({ testTimeout: 60_000 });

describe.each(EVERYWHERE)('on a terminal, for %s with isolation %s', (user, isolation) => {
  const python = (script: string) => cordonRun(isolation, 'python3', '-c', script);
  const bash = () => new Terminal(user, BASH);

  it('Ctrl-C reaches a program that traps it, and its exit code comes back', async () => {
    const terminal = new Terminal(user, python(TRAPS_INT));
    await terminal.until(/ready/);
    terminal.type('\x03');
    await terminal.until(/trapped/);
    expect(await terminal.code).toBe(7);
  });

  it('Ctrl-C and Ctrl-\\ end a program that does not', async () => {
    for (const [key, code] of [
      ['\x03', 130],
      ['\x1c', 131],
    ] as const) {
      const terminal = new Terminal(user, cordonRun(isolation, '/bin/sh', '-c', 'echo ready; exec cat'));
      await terminal.until(/ready/);
      terminal.type(key);
      expect(await terminal.code).toBe(code);
    }
  });

  it('Ctrl-Z stops it, fg continues it', async () => {
    const terminal = bash();
    terminal.type(`${quoted(python(ECHO))}\n`);
    await terminal.until(/ready\r\n/);
    terminal.type('\x1a');
    await terminal.until(/Stopped/);
    terminal.type('fg\n');
    await terminal.until(/cordon.*run/);
    terminal.type('hello\n');
    await terminal.until(/got hello/);
    terminal.type('\x04');
    terminal.type('echo code=$?\n');
    await terminal.until(/code=6/);
    terminal.type('exit\n');
    expect(await terminal.code).toBe(0);
  });

  it('what is typed as soon as it has stopped is the shell’s, and every continue is followed by a stop', async () => {
    const terminal = bash();
    terminal.type(`${quoted(python(ECHO))}\n`);
    await terminal.until(/ready\r\n/);
    terminal.type('\x1a');
    await terminal.until(/Stopped/);
    terminal.type('echo job $(jobs -p)\n');
    const [, job = ''] = /job (\d+)\r\n/.exec(await terminal.until(/job \d+\r\n/)) ?? [];
    for (let round = 0; round < 100; round++) {
      terminal.type(`fg\nround ${round}\n`);
      await terminal.until(new RegExp(`got round ${round}\r\n`));
      await isSupervising(job);
      terminal.type('\x1a');
      await terminal.until(/Stopped/);
    }
  });

  it('a program that catches the stop goes on, and so does who waits for it', async () => {
    const script = 'trap "echo caught" TSTP; echo ready; while read -r line; do echo "got $line"; done; exit 4';
    const terminal = bash();
    terminal.type(`${quoted(cordonRun(isolation, 'bash', '-c', script))}; echo "code $?"\n`);
    await terminal.until(/ready\r\n/);
    terminal.type('\x1a');
    terminal.type('hello\n');
    await terminal.until(/got hello\r\n/);
    terminal.type('\x04');
    await terminal.until(/code 4/);
    expect(terminal.all).not.toContain('Stopped');
  });

  it('a program that stops itself is a stopped job, and goes on with fg', async () => {
    const terminal = bash();
    terminal.type(`${quoted(cordonRun(isolation, '/bin/sh', '-c', 'kill -STOP $$; echo resumed; exit 5'))}\n`);
    await terminal.until(/Stopped/);
    terminal.type('jobs\n');
    await terminal.until(/\[1\]\+\s+Stopped/);
    terminal.type('fg\n');
    await terminal.until(/resumed\r\n/);
    terminal.type('echo code=$?\n');
    await terminal.until(/code=5/);
  });

  it('a job in the background that reads from the terminal stops', async () => {
    const terminal = bash();
    terminal.type(`${quoted(python(ECHO))} &\n`);
    await terminal.until(/ready/);
    terminal.type('wait %1; jobs\n');
    await terminal.until(/Stopped/);
    terminal.type('fg\n');
    terminal.type('back\n');
    await terminal.until(/got back/);
  });

  it('a change of the window size reaches it', async () => {
    const terminal = new Terminal(user, python(SAYS_SIZE));
    await terminal.until(/size/);
    terminal.resize(33, 111);
    await terminal.until(/size 111 33/);
    terminal.type('\x04');
    expect(await terminal.code).toBe(0);
  });

  it('it is on a terminal, with its kind and its name', async () => {
    const script =
      'test -t 0 -a -t 1 -a -t 2 && echo terminal $TERM; test -c /dev/tty && echo tty > /dev/tty; ps -o tty= -p $$';
    const terminal = new Terminal(user, cordonRun(isolation, '/bin/sh', '-c', script));
    await terminal.until(/terminal xterm-256color\r\ntty/);
    expect(await terminal.code).toBe(0);
  });

  it('pipelines work with it at either end, and a pager has the keyboard', async () => {
    const terminal = bash();
    const numbers = quoted(cordonRun(isolation, 'seq', '500'));
    terminal.type(`${numbers} | ${quoted(['python3', '-c', PAGER])}\n`);
    await terminal.until(/shown 500/);
    terminal.type('q1\n');
    await terminal.until(/key q1/);
    terminal.type(`${numbers} | ${quoted(python(PAGER))}\n`);
    await terminal.until(/shown 500/);
    terminal.type('q2\n');
    await terminal.until(/key q2/);
    terminal.type(`${numbers} | head -n 1; echo "left \${PIPESTATUS[0]}"\n`);
    await terminal.until(/1\r\n.*left (141|0)/s);
  });

  it('an interactive shell inside has job control', async () => {
    const terminal = new Terminal(user, cordonRun(isolation, ...BASH));
    terminal.type('cat &\n');
    await terminal.until(/\[1\] \d+/);
    terminal.type(`jobs; kill -KILL %1; sh -c "echo g''o; exec cat"\n`);
    await terminal.until(/go\r\n/);
    terminal.type('typed\n');
    await terminal.until(/typed\r\ntyped/);
    terminal.type('\x1a');
    await terminal.until(/Stopped/);
    terminal.type('kill -9 %%; exit 3\n');
    terminal.type('exit 3\n');
    expect(await terminal.code).toBe(3);
    expect(terminal.all).not.toMatch(/no job control|cannot set terminal process group/);
  });

  it.each(['bash', 'sh'])('%s lends the terminal to its children and takes it back', async (shell) => {
    const terminal = bash();
    for (const input of ['', ' < /dev/tty', ' 2> /dev/null']) {
      terminal.type(`${quoted(cordonRun(isolation, shell, '-c', LENDS))}${input}; echo "code $?"\n`);
      terminal.type('typed\n');
      await terminal.until(/got typed\r\n/);
      await terminal.until(/code 3/);
    }
    terminal.type(
      `echo typed | ${quoted(cordonRun(isolation, shell, '-c', 'read -r line; echo "got $line"'))} | cat\n`,
    );
    await terminal.until(/got typed\r\n/);
    expect(terminal.all).not.toMatch(/Stopped|annot set|no job control/);
  });

  it('without its input it has the terminal still', async () => {
    const terminal = bash();
    const script = 'set -m; sleep 0.01 & fg; read -r line < /dev/tty; echo "got $line"';
    terminal.type(`${quoted(cordonRun(isolation, 'bash', '-c', script))} < /dev/null\n`);
    terminal.type('typed\n');
    await terminal.until(/got typed\r\n/);
    expect(terminal.all).not.toContain('Stopped');
  });

  it('a debugger has its terminal after each step', async () => {
    const terminal = bash();
    terminal.type(
      `${quoted(cordonRun(isolation, 'gdb', '-q', '-nx', '-iex', 'set style enabled off', '/bin/true'))}; echo "code $?"\n`,
    );
    await terminal.until(/\(gdb\)/);
    for (const [command, answer] of [
      ['starti', /Program stopped/],
      ['stepi', /_start/],
      ['stepi', /_start/],
      ['continue', /exited normally/],
    ] as const) {
      terminal.type(`${command}\n`);
      await terminal.until(answer);
      await terminal.until(/\(gdb\)/);
    }
    terminal.type('quit\n');
    await terminal.until(/code 0/);
    expect(terminal.all).not.toContain('Stopped');
  });

  it('one Cordon in another has the terminal too, and stops and goes on with it', async () => {
    const terminal = bash();
    // In its own barrier root cannot make another one.
    const inner = cordonRun(user === 'root' ? 'filter' : isolation, 'bash', '-c', LENDS);
    const outer = [cordonProgram(), 'run', '--isolation', isolation, '--read', installedPackage(), '--', ...inner];
    terminal.type(`${quoted(isolation === 'filter' ? cordonRun(isolation, ...inner) : outer)}\n`);
    await terminal.until(/lent\r\n/);
    terminal.type('\x1a');
    await terminal.until(/Stopped/);
    terminal.type('fg\n');
    await terminal.until(/cordon.*run/);
    terminal.type('typed\n');
    await terminal.until(/got typed\r\n/);
    terminal.type('echo "code $?"\n');
    await terminal.until(/code 3/);
  });

  it('put in front while it runs, it gets what is typed', async () => {
    const terminal = bash();
    terminal.type(`${quoted(python(READS_WHEN_CALLED))}\n`);
    await terminal.until(/ready\r\n/);
    terminal.type('\x1a');
    await terminal.until(/Stopped/);
    terminal.type('echo job $(jobs -p)\n');
    const [, job = ''] = /job (\d+)\r\n/.exec(await terminal.until(/job \d+\r\n/)) ?? [];
    terminal.type('bg\n');
    await terminal.until(/continued/);
    terminal.type("echo sh''ell\n");
    await terminal.until(/shell\r\n/);
    terminal.type('fg\n');
    await isInFront(job);
    terminal.type('\x03');
    await terminal.until(/called\r\n/);
    terminal.type('typed\n');
    await terminal.until(/got typed\r\n/);
    expect(terminal.all.match(/called\r\n/g)).toHaveLength(1);
    terminal.type('\x1c');
    terminal.type("echo sh''ell\n");
    await terminal.until(/shell\r\n/);
  });

  it('with no shell around it, Ctrl-Z leaves it running', async () => {
    const terminal = new Terminal(user, python(ECHO));
    await terminal.until(/ready\r\n/);
    terminal.type('\x1a');
    terminal.type('hello\n');
    await terminal.until(/got hello/);
    terminal.type('\x04');
    expect(await terminal.code).toBe(6);
  });

  it('after an interactive shell inside, the shell outside has its terminal back', async () => {
    const terminal = bash();
    terminal.type(`${quoted(cordonRun(isolation, ...BASH))}\n`);
    await terminal.until(/[$#] $/);
    terminal.type('echo inside=$((1+1)); exit 4\n');
    await terminal.until(/inside=2/);
    terminal.type('echo code=$?\n');
    await terminal.until(/code=4/);
    terminal.type('exit 0\n');
    expect(await terminal.code).toBe(0);
  });
});
