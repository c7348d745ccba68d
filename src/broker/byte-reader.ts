import type { Duplex } from 'node:stream';

/** Takes exact numbers of bytes from the beginning of a connection, then leaves it to others as if nobody had read. */
export class ByteReader {
  readonly stream: Duplex;
  readonly #take = (chunk: Buffer) => {
    this.#held = Buffer.concat([this.#held, chunk]);
    this.#wake();
  };
  readonly #end = () => {
    this.#ended = true;
    this.#wake();
  };
  #held = Buffer.alloc(0);
  #ended = false;
  #wake: () => void = () => undefined;

  constructor(stream: Duplex) {
    this.stream = stream;
    for (const event of ['end', 'close', 'error']) stream.on(event, this.#end);
    stream.on('data', this.#take);
    // Connections of a sandbox wait until somebody reads them.
    stream.resume();
  }

  async peek(): Promise<number> {
    await this.#atLeast(1);
    return this.#held[0] as number;
  }

  async take(count: number): Promise<Buffer> {
    await this.#atLeast(count);
    const taken = this.#held.subarray(0, count);
    this.#held = this.#held.subarray(count);
    return taken;
  }

  /** What came in too early is there again for whoever reads next. */
  release(): void {
    this.stream.off('data', this.#take);
    for (const event of ['end', 'close', 'error']) this.stream.off(event, this.#end);
    this.stream.pause();
    if (this.#held.length > 0) this.stream.unshift(this.#held);
    this.#held = Buffer.alloc(0);
  }

  async #atLeast(count: number): Promise<void> {
    while (this.#held.length < count) {
      if (this.#ended) throw Object.assign(new Error('the other side ended the connection'), { code: 'ECONNRESET' });
      await new Promise<void>((wake) => {
        this.#wake = wake;
      });
    }
  }
}
