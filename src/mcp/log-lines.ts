import { fstatSync } from 'node:fs';
import { Socket } from 'node:net';

const STDERR = 2;
const MOST_WAITING = 256 * 1024;

/**
 * Lines of a log on stderr. A client may leave it unread: what then finds no room is dropped and counted, since whoever waited for room
 * would keep all users waiting.
 */
export function logLines(directly: (text: string) => void): (line: string) => void {
  stderrPipe ??= pipeAt(STDERR);
  const pipe = stderrPipe;
  return pipe === undefined ? (line) => directly(`${line}\n`) : (line) => pipe.write(line);
}

/** One for the process: a descriptor cannot be watched twice. */
let stderrPipe: BoundedPipe | undefined;

function pipeAt(descriptor: number): BoundedPipe | undefined {
  const stats = fstatSync(descriptor);
  return stats.isFIFO() || stats.isSocket() ? new BoundedPipe(descriptor) : undefined;
}

class BoundedPipe {
  readonly #socket: Socket;
  #dropped = 0;

  constructor(fd: number) {
    this.#socket = new Socket({ fd, readable: false, writable: true });
    // A reader that went away is no error of ours, and nothing waits for it.
    this.#socket.on('error', () => undefined).unref();
  }

  write(line: string): void {
    if (this.#socket.destroyed) return;
    if (this.#socket.writableLength > MOST_WAITING) {
      this.#dropped++;
      return;
    }
    if (this.#dropped > 0) this.#socket.write(`(${this.#dropped} lines were dropped: nobody read them)\n`);
    this.#dropped = 0;
    this.#socket.write(`${line}\n`);
  }
}
