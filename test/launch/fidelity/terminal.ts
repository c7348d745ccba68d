import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { onTestFinished } from 'vitest';
import { cordonProgram } from '../../support/cordon.ts';
import { environment, Scene } from '../../support/escape-scene.ts';
import { USERS, type User } from '../../support/users.ts';

const ISOLATIONS = ['barrier', 'filter'] as const;

/** Every user with every isolation: whatever is faithful must be so in all of them. */
export const EVERYWHERE = USERS.flatMap((user) => ISOLATIONS.map((isolation) => [user, isolation] as const));

/** Stands between a pseudo-terminal and pipes; on descriptor 3 it takes new window sizes. */
const PROXY = `
import fcntl, os, pty, select, struct, sys, termios
pid, master = pty.fork()
if pid == 0:
    os.close(3)
    os.execvp(sys.argv[1], sys.argv[1:])
sources = [0, 3, master]
while True:
    ready = select.select(sources, [], [])[0]
    if master in ready:
        try: text = os.read(master, 65536)
        except OSError: break
        os.write(1, text)
    for source in {0, 3}.intersection(ready):
        text = os.read(source, 65536)
        if not text: sources.remove(source)
        elif source == 0: os.write(master, text)
        else: fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack('HHHH', *map(int, text.split()), 0, 0))
code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
sys.exit(code if code >= 0 else 128 - code)
`;

/** Below the limit of a test, so that what the terminal shows is told. */
const DEADLINE_MS = 50_000;

/** A program on a real terminal, typed at and read from. */
export class Terminal {
  readonly #child: ChildProcess;
  readonly code: Promise<number | null>;
  #seen = '';
  #all = '';

  constructor(user: User, argv: readonly string[]) {
    const { uid, gid, home, work } = new Scene(user);
    const env = environment({ PATH: '/usr/local/bin:/usr/bin:/bin', HOME: home, TERM: 'xterm-256color', PS1: '$ ' });
    this.#child = spawn('python3', ['-c', PROXY, ...argv], {
      uid,
      gid,
      cwd: work,
      env,
      stdio: ['pipe', 'pipe', 'inherit', 'pipe'],
    });
    this.code = new Promise((resolve) => this.#child.once('close', resolve));
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#seen += text;
      this.#all += text;
    });
    onTestFinished(() => void this.#child.kill('SIGKILL'));
  }

  type(text: string): void {
    this.#child.stdin?.write(text);
  }

  resize(rows: number, columns: number): void {
    (this.#child.stdio[3] as NodeJS.WritableStream).write(`${rows} ${columns}`);
  }

  /** Everything since the last call, up to what was waited for. */
  async until(expected: RegExp): Promise<string> {
    const late = AbortSignal.timeout(DEADLINE_MS);
    for (;;) {
      const match = expected.exec(this.#seen);
      if (match !== null) {
        const text = this.#seen.slice(0, match.index + match[0].length);
        this.#seen = this.#seen.slice(text.length);
        return text;
      }
      if (this.#hasEnded || late.aborted)
        throw new Error(`${expected} did not appear; the terminal shows:\n${this.#all}`);
      await this.#change(late);
    }
  }

  /** Until there is more to see, or never will be. */
  #change(late: AbortSignal): Promise<unknown> {
    const changed = new AbortController();
    const signal = AbortSignal.any([changed.signal, late]);
    const changes = ['data', 'end'].map((event) => once(this.#child.stdout as Readable, event, { signal }));
    return Promise.any(changes)
      .catch(() => undefined)
      .finally(() => changed.abort());
  }

  get #hasEnded(): boolean {
    return this.#child.stdout?.readableEnded === true;
  }

  get all(): string {
    return this.#all;
  }
}

export const cordonRun = (isolation: string, ...argv: readonly string[]) => [
  cordonProgram(),
  'run',
  '--isolation',
  isolation,
  '--',
  ...argv,
];

/**
 * Python that runs its handlers until there is input or its end. A read would do it but for a signal that comes just before: its handler
 * runs when the read has ended.
 */
export const UNTIL_INPUT = `
import os, select, signal
wake, woken = os.pipe()
os.set_blocking(woken, False)
signal.set_wakeup_fd(woken)
def until_input():
    while 0 not in select.select([0, wake], [], [])[0]: os.read(wake, 1)
`;

/** An interactive shell without anyone's settings. */
export const BASH = ['bash', '--noprofile', '--norc', '-i'];

export const quoted = (argv: readonly string[]) => argv.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
