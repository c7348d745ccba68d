import type { Readable } from 'node:stream';

/** Far more than an event needs; what is longer is cut, so that memory stays the same whatever an agent prints. */
export const LONGEST_LINE = 4 * 1024 * 1024;

const NEWLINE = 0x0a;

/** Cuts a stream of bytes into lines of text. */
export class Lines {
  #parts: Buffer[] = [];
  #length = 0;

  /** The lines that are complete with this chunk. */
  add(chunk: Buffer): string[] {
    const lines: string[] = [];
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      this.#keep(chunk.subarray(from, at));
      lines.push(this.#take());
      from = at + 1;
    }
    this.#keep(chunk.subarray(from));
    return lines;
  }

  /** What was left without a newline at the end. */
  end(): string[] {
    return this.#length === 0 ? [] : [this.#take()];
  }

  #keep(part: Buffer): void {
    const room = LONGEST_LINE - this.#length;
    if (part.length === 0 || room <= 0) return;
    this.#parts.push(Buffer.from(part.subarray(0, room)));
    this.#length += Math.min(part.length, room);
  }

  #take(): string {
    const line = Buffer.concat(this.#parts).toString('utf8');
    this.#parts = [];
    this.#length = 0;
    return line.endsWith('\r') ? line.slice(0, -1) : line;
  }
}

const LONGEST_TAIL = 64 * 1024;

/** The end of what was said, to see why an agent stopped. */
export class Tail {
  #text = '';

  add(chunk: Buffer): void {
    const end = chunk.length > LONGEST_TAIL ? chunk.subarray(-LONGEST_TAIL) : chunk;
    this.#text = (this.#text + end.toString('utf8')).slice(-LONGEST_TAIL);
  }

  matches(pattern: RegExp | undefined): boolean {
    return pattern?.test(this.#text) === true;
  }
}

/** What a stream gives until it ends or is closed from our side. */
export async function* chunksOf(stream: Readable): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of stream) yield chunk as Buffer;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
}
