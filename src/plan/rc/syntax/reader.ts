import {
  type Command,
  type Dialect,
  type Loop,
  NotUnderstood,
  type Part,
  type Script,
  type Span,
  type Word,
} from './script.ts';

interface HereDocument {
  readonly delimiter: string;
  readonly tabs: boolean;
}

const STEPS_PER_BYTE = 100;
const DEEPEST = 100;

/** The position in a script, and what was found on the way. */
export class Reader implements Script {
  readonly text: string;
  readonly dialect: Dialect;
  at = 0;
  readonly commands: Command[] = [];
  readonly comments: Span[] = [];
  readonly loops: Loop[] = [];
  readonly fixed: Word[] = [];
  /** How many functions, and old-style substitutions, are around. */
  functions = 0;
  backticks = 0;
  /** The next group is the body of a function. */
  bodyFollows = false;
  #pending: HereDocument[] = [];
  #stepsLeft: number;
  #depth = 0;

  constructor(text: string, dialect: Dialect) {
    this.text = text;
    this.dialect = dialect;
    this.#stepsLeft = 1000 + STEPS_PER_BYTE * text.length;
  }

  get done(): boolean {
    return this.at >= this.text.length;
  }

  /** Every loop asks for the next character, so a text made to be read over and over again is given up here. */
  peek(ahead = 0): string {
    if (this.#stepsLeft-- < 0) this.fail('it is too tangled');
    return this.text[this.at + ahead] ?? '';
  }

  has(text: string): boolean {
    return this.text.startsWith(text, this.at);
  }

  match(sticky: RegExp): string | undefined {
    sticky.lastIndex = this.at;
    return sticky.exec(this.text)?.[0];
  }

  /** Reads something that may hold more of its kind. */
  nested(read: () => void): void {
    if (++this.#depth > DEEPEST) this.fail('it is too tangled');
    read();
    this.#depth--;
  }

  fail(why: string, at = this.at): never {
    throw new NotUnderstood(Math.min(at, this.text.length), why);
  }

  take(expected: string): void {
    if (!this.has(expected)) this.fail(`${expected} is missing`);
    this.at += expected.length;
  }

  /** Blanks, and line ends that a backslash takes away. */
  skipBlanks(): void {
    this.at += this.match(/(?:[ \t\r]|\\\r?\n)*/y)?.length ?? 0;
  }

  /** Blanks, comments and line ends, with the here-documents that begin after one. */
  skipLines(): void {
    for (;;) {
      this.skipBlanks();
      if (this.peek() === '#') this.skipComment();
      else if (this.peek() === '\n') this.skipNewline();
      else return;
    }
  }

  skipComment(): void {
    const from = this.at;
    this.at += this.match(this.backticks > 0 ? /[^\n`]*/y : /[^\n]*/y)?.length ?? 0;
    this.comments.push({ from, to: this.at });
  }

  skipNewline(): void {
    this.at++;
    for (const document of this.#pending.splice(0)) this.#skipHereDocument(document);
  }

  expectHereDocument(document: HereDocument): void {
    this.#pending.push(document);
  }

  /** A quote that runs over a line end while a here-document waits for it is more than anyone writes. */
  refuseLateDocuments(): void {
    if (this.#pending.length > 0) this.fail('a here-document that does not begin on the next line');
  }

  addFixed(from: number, parts: readonly Part[]): void {
    this.fixed.push({ from, to: this.at, parts });
  }

  #skipHereDocument({ delimiter, tabs }: HereDocument): void {
    const from = this.at;
    while (!this.done) {
      const end = this.text.indexOf('\n', this.at);
      const line = this.text.slice(this.at, end < 0 ? undefined : end);
      const start = this.at;
      this.at = end < 0 ? this.text.length : end + 1;
      if ((tabs ? line.replace(/^\t+/, '') : line) !== delimiter) continue;
      this.fixed.push({ from, to: start, parts: [{ kind: 'text', text: this.text.slice(from, start) }] });
      return;
    }
    this.fail('a here-document without its end');
  }
}
