import { stripVTControlCharacters } from 'node:util';

export type PreviewMode = 'head' | 'tail';

export interface PreviewOptions {
  readonly mode: PreviewMode;
  readonly lines: number;
}

/** What a model is shown at most, however long the lines are. */
export const PREVIEW_BYTES = 32_768;
const MANY_PARTS = 256;

/** The beginning or the end of what a command writes, in bounded memory whatever it writes. */
export class Preview {
  readonly #options: PreviewOptions;
  #parts: Buffer[] = [];
  #kept = 0;
  #newlines = 0;
  #endsInLine = false;
  bytes = 0;

  constructor(options: PreviewOptions) {
    this.#options = options;
  }

  get lines(): number {
    return this.#newlines + (this.#endsInLine ? 1 : 0);
  }

  push(chunk: Buffer): void {
    if (chunk.length === 0) return;
    this.bytes += chunk.length;
    this.#newlines += newlinesIn(chunk);
    this.#endsInLine = chunk[chunk.length - 1] !== NEWLINE;
    if (this.#options.mode === 'head') this.#keepFirst(chunk);
    else this.#keepLast(chunk);
  }

  #keepFirst(chunk: Buffer): void {
    const room = PREVIEW_BYTES - this.#kept;
    if (room > 0) this.#add(Buffer.from(chunk.subarray(0, room)));
  }

  #keepLast(chunk: Buffer): void {
    this.#add(Buffer.from(chunk.subarray(-PREVIEW_BYTES)));
    if (this.#kept <= 2 * PREVIEW_BYTES && this.#parts.length <= MANY_PARTS) return;
    const last = Buffer.from(Buffer.concat(this.#parts).subarray(-PREVIEW_BYTES));
    this.#parts = [last];
    this.#kept = last.length;
  }

  #add(part: Buffer): void {
    this.#parts.push(part);
    this.#kept += part.length;
  }

  /** The lines asked for, and how many of all lines these are. */
  shown(): { readonly text: string; readonly lines: number; readonly whole: boolean } {
    const { mode, lines } = this.#options;
    const all = Buffer.concat(this.#parts);
    const kept = mode === 'head' ? all.subarray(0, PREVIEW_BYTES) : all.subarray(-PREVIEW_BYTES);
    const texts = linesOf(readable(kept.toString('utf8')));
    const chosen = mode === 'head' ? texts.slice(0, lines) : texts.slice(Math.max(0, texts.length - lines));
    const whole = kept.length === this.bytes && chosen.length === texts.length;
    return { text: chosen.join('\n'), lines: chosen.length, whole };
  }
}

const NEWLINE = 10;

function newlinesIn(chunk: Buffer): number {
  let count = 0;
  for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) count++;
  return count;
}

function linesOf(text: string): string[] {
  if (text === '') return [];
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
}

/** Colours go; what else could steer the terminal of whoever shows it becomes visible. */
function readable(text: string): string {
  return stripVTControlCharacters(text)
    .replaceAll('\r\n', '\n')
    .replace(
      /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g,
      (control) => `\\x${control.charCodeAt(0).toString(16).padStart(2, '0')}`,
    );
}
