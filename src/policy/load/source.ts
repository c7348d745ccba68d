import { showText } from '../../host/bytes.ts';
import type { Place } from './node.ts';

/** The text of a policy file, and how to say where in it something stands. */
export class Source {
  readonly name: string;
  readonly text: string;
  readonly #lineStarts: readonly number[];

  constructor(name: string, text = '') {
    this.name = showText(name);
    this.text = text;
    this.#lineStarts = [0, ...[...text.matchAll(/\r\n|\n|\r/g)].map((end) => end.index + end[0].length)];
  }

  /** `web.json:4:7`, or for a plain object `profile object: environment.allow_vars[2]`. */
  where(place: Place): string {
    if ('path' in place) return place.path === '' ? this.name : `${this.name}: ${place.path}`;
    const { line, column } = this.position(place.start);
    return `${this.name}:${line}:${column}`;
  }

  /** Both count from 1, as editors do. */
  position(offset: number): { line: number; column: number } {
    const line = this.#lineAt(offset);
    return { line: line + 1, column: offset - (this.#lineStarts[line] as number) + 1 };
  }

  lineStart(line: number): number {
    return this.#lineStarts[line - 1] ?? this.text.length;
  }

  lineText(line: number): string {
    return this.text.slice(this.lineStart(line), this.#lineStarts[line] ?? this.text.length).replace(/[\r\n]+$/, '');
  }

  #lineAt(offset: number): number {
    let low = 0;
    let high = this.#lineStarts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#lineStarts[middle] as number) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
