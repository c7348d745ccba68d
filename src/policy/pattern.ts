import { type Bytes, bytesOfText, showBytes, textOfBytes } from '../host/bytes.ts';
import { CordonError } from '../host/errors.ts';

/** A whole-name pattern over bytes: an exact name, or `*`, `?`, `[seq]`, `[!seq]` as in fnmatch. */
export class Pattern {
  readonly source: Bytes;
  /** Names one variable, so it may admit what only an exact name admits. */
  readonly exact: boolean;
  /** The literal part of `PREFIX*`. */
  readonly prefix: Bytes | undefined;
  /** What was written, where upper and lower case count alike: `source` then names both. */
  readonly anyCase: Bytes | undefined;
  /** Made at the first use: every launch has hundreds of patterns, and looks most of them up by their plain parts. */
  #matches: ((name: Bytes) => boolean) | undefined;

  private constructor(source: Bytes, literal = !/[*?[]/.test(source), anyCase?: Bytes) {
    this.source = source;
    this.anyCase = anyCase;
    this.exact = literal;
    this.prefix = !literal && /^[^*?[]*\*$/.test(source) ? (source.slice(0, -1) as Bytes) : undefined;
  }

  /** The longest run of plain bytes: no name without it can match. */
  get needle(): Bytes {
    return this.exact ? this.source : longestPlainRun(this.source);
  }

  static parse(text: string, where?: string): Pattern {
    return Pattern.ofBytes(bytesOfText(text), where);
  }

  /** From a list of our own, which a test has looked over: every launch makes them all. */
  static builtIn(text: string): Pattern {
    return new Pattern(text as Bytes);
  }

  /** This very name, even if it contains characters that mean something in a pattern. */
  static exactly(name: Bytes): Pattern {
    return new Pattern(name, true);
  }

  /**
   * Upper and lower case alike, of the letters A to Z. It is the same language: `key` is `[Kk][Ee][Yy]`, so that the launcher
   * has nothing to learn.
   */
  static ignoringCase(text: string, where?: string): Pattern {
    const { source } = Pattern.parse(text, where);
    return new Pattern(inBothCases(source), undefined, source);
  }

  static ofBytes(source: Bytes, where?: string): Pattern {
    const problem = patternProblem(source);
    if (problem === undefined) return new Pattern(source);
    throw new CordonError('policy', `pattern '${showBytes(source)}' ${problem}`, {
      where,
      hint: "patterns are names with *, ?, [seq] or [!seq]; quote them in the shell, e.g. '*TOKEN*'",
    });
  }

  matches(name: Bytes): boolean {
    if (this.exact) return name === this.source;
    this.#matches ??= compileGlob(this.source);
    return this.#matches(name);
  }
}

function inBothCases(source: Bytes): Bytes {
  return source.replace(/\[(!?)(\]?[^\]]*)\]|[A-Za-z]/g, (piece: string, not: string | undefined, members = '') =>
    not === undefined ? `[${piece.toUpperCase()}${piece.toLowerCase()}]` : `[${not}${withOtherCase(members)}]`,
  ) as Bytes;
}

/** The members of a class with their letters in the other case too, written anew: `]` first, `-` last, the rest in order. */
function withOtherCase(members: string): string {
  const set = new Set(codesIn(members).map((code) => String.fromCharCode(code)));
  const letters = [...set].filter((one) => /[A-Za-z]/.test(one));
  if (letters.every((one) => set.has(otherCase(one)))) return members;
  for (const one of letters) set.add(otherCase(one));
  const plain = [...set].filter((one) => !']!-'.includes(one)).toSorted();
  const has = (one: string) => (set.has(one) ? one : '');
  return `${has(']')}${plain.join('')}${has('!')}${has('-')}`;
}

const otherCase = (letter: string) => (letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase());

/** What stands between the brackets, each range written out. One that is written backwards holds nothing, as in fnmatch. */
function codesIn(members: string): number[] {
  const codes: number[] = [];
  for (let i = 0; i < members.length; i++) {
    const isRange = members[i + 1] === '-' && i + 2 < members.length;
    const last = members.charCodeAt(isRange ? i + 2 : i);
    for (let code = members.charCodeAt(i); code <= last; code++) codes.push(code);
    if (isRange) i += 2;
  }
  return codes;
}

function longestPlainRun(source: Bytes): Bytes {
  const runs = source.split(/\[!?\]?[^\]]*\]|[*?]/) as Bytes[];
  return runs.reduce((longest, run) => (run.length > longest.length ? run : longest));
}

const LONGEST_PATTERN = 65_536;

function patternProblem(source: Bytes): string | undefined {
  if (source === '') return 'is empty';
  if (source.length > LONGEST_PATTERN) return `is longer than ${LONGEST_PATTERN} bytes`;
  if (/[=\0]/.test(source)) return 'contains a character that no variable name can have';
  if (hasWhiteSpace(source)) return 'contains white space';
  return hasUnclosedClass(source) ? 'has a [ without its ]' : undefined;
}

/** Of the text, not of its bytes: one of those of à would be a space by itself. */
function hasWhiteSpace(source: Bytes): boolean {
  const text = textOfBytes(source);
  return text === undefined ? /[\t-\r ]/.test(source) : /\s/.test(text);
}

function hasUnclosedClass(source: Bytes): boolean {
  for (let at = source.indexOf('['); at !== -1; at = source.indexOf('[', at + 1)) {
    at = classEnd(source, at);
    if (at === -1) return true;
  }
  return false;
}

/** One byte of a segment: the set of bytes it accepts. A plain byte is kept as its code, `?` as ANY. */
type Unit = number | Uint8Array;
const ANY = -1;

/**
 * A glob is segments with `*` between them. The first is tied to the start, the last to the end, each other one is looked for
 * left to right: taking the leftmost place is always right, so no star is ever tried twice.
 */
function compileGlob(source: Bytes): (name: Bytes) => boolean {
  const segments = splitAtStars(source).map(parseSegment);
  const first = segments[0] as Unit[];
  if (segments.length === 1) return (name) => name.length === first.length && matchesAt(first, name, 0);
  const last = segments[segments.length - 1] as Unit[];
  const inner = segments
    .slice(1, -1)
    .filter((segment) => segment.length > 0)
    .map(compileSearch);
  return (name) => {
    const end = name.length - last.length;
    if (end < first.length || !matchesAt(first, name, 0) || !matchesAt(last, name, end)) return false;
    let at = first.length;
    for (const search of inner) {
      at = search(name, at, end);
      if (at === -1) return false;
    }
    return true;
  };
}

/** Stars inside a class are members, not stars. */
function splitAtStars(source: Bytes): Bytes[] {
  const segments: Bytes[] = [];
  let start = 0;
  for (let i = 0; i < source.length; i++) {
    if (source[i] === '[') i = classEnd(source, i);
    else if (source[i] === '*') {
      segments.push(source.slice(start, i) as Bytes);
      start = i + 1;
    }
  }
  segments.push(source.slice(start) as Bytes);
  return segments;
}

/** A `]` right after `[` or `[!` is a member, as in fnmatch. */
function classEnd(source: string, open: number): number {
  const first = source[open + 1] === '!' ? open + 2 : open + 1;
  return source.indexOf(']', first + 1);
}

function parseSegment(segment: Bytes): Unit[] {
  const units: Unit[] = [];
  for (let i = 0; i < segment.length; i++) {
    if (segment[i] === '?') units.push(ANY);
    else if (segment[i] === '[') {
      const close = classEnd(segment, i);
      units.push(parseClass(segment.slice(i + 1, close)));
      i = close;
    } else units.push(segment.charCodeAt(i));
  }
  return units;
}

function parseClass(body: string): Uint8Array {
  const negated = body[0] === '!';
  const set = new Uint8Array(256).fill(negated ? 1 : 0);
  for (const code of codesIn(negated ? body.slice(1) : body)) set[code] = negated ? 0 : 1;
  return set;
}

function accepts(unit: Unit, code: number): boolean {
  return typeof unit === 'number' ? unit === code || unit === ANY : unit[code] === 1;
}

function matchesAt(units: readonly Unit[], name: Bytes, start: number): boolean {
  for (let i = 0; i < units.length; i++) if (!accepts(units[i] as Unit, name.charCodeAt(start + i))) return false;
  return true;
}

/** Finds a segment at or after `from`, ending by `end`; gives the place behind it, or -1. */
type Search = (name: Bytes, from: number, end: number) => number;

/** The longest run of plain bytes leads to the few places worth a look. */
function compileSearch(units: readonly Unit[]): Search {
  const { text, offset } = longestLiteral(units);
  return (name, from, end) => {
    const last = end - units.length;
    for (let start = from; start <= last; start++) {
      start = name.indexOf(text, start + offset) - offset;
      if (start < from || start > last) return -1;
      if (matchesAt(units, name, start)) return start + units.length;
    }
    return -1;
  };
}

function longestLiteral(units: readonly Unit[]): { text: string; offset: number } {
  let best = { text: '', offset: 0 };
  let text = '';
  for (const [i, unit] of units.entries()) {
    text = typeof unit === 'number' && unit !== ANY ? text + String.fromCharCode(unit) : '';
    if (text.length > best.text.length) best = { text, offset: i + 1 - text.length };
  }
  return best;
}
