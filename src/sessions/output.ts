import type { Redaction } from '../redact/redaction.ts';
import { Redactor } from '../redact/redactor.ts';
import type { OutputFile } from './output-file.ts';
import type { CallOptions } from './types.ts';

export interface OutputOptions {
  readonly most: number;
  readonly redaction: Redaction | undefined;
  readonly file: OutputFile | undefined;
  readonly onOutput: CallOptions['onOutput'];
}

type Stream = 'stdout' | 'stderr';

/** What a call writes: its beginning is kept, all of it is counted and handed on, and memory stays the same however much comes. */
export class CallOutput {
  readonly #options: OutputOptions;
  readonly #kept: Record<Stream, Buffer[]> = { stdout: [], stderr: [] };
  readonly #keptBytes: Record<Stream, number> = { stdout: 0, stderr: 0 };
  #bytes = 0;
  #dropped = 0;

  constructor(options: OutputOptions) {
    this.#options = options;
  }

  take(from: NodeJS.ReadableStream | null, stream: Stream): void {
    const redactor = this.#options.redaction === undefined ? undefined : new Redactor(this.#options.redaction);
    from?.on('data', (chunk: Buffer) => this.#add(redactor?.push(chunk) ?? [chunk], stream));
    from?.on('end', () => this.#add(redactor?.end() ?? [], stream));
    from?.on('error', () => undefined); // The end of the process says what there is to say.
  }

  get bytes(): number {
    return this.#bytes;
  }

  get truncated(): boolean {
    return this.#dropped > 0;
  }

  kept(stream: Stream): Buffer {
    return Buffer.concat(this.#kept[stream]);
  }

  #add(pieces: readonly Buffer[], stream: Stream): void {
    for (const piece of pieces) {
      this.#bytes += piece.length;
      this.#keep(piece, stream);
      this.#options.file?.write(piece);
      this.#options.onOutput?.(piece, stream);
    }
  }

  #keep(piece: Buffer, stream: Stream): void {
    const part = piece.subarray(0, Math.max(0, this.#options.most - this.#keptBytes[stream]));
    this.#dropped += piece.length - part.length;
    if (part.length === 0) return;
    // A copy, so that a short part does not hold on to the whole that it was read with.
    this.#kept[stream].push(part.length === piece.length ? part : Buffer.from(part));
    this.#keptBytes[stream] += part.length;
  }
}
