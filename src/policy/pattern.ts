import { type Bytes, bytesOfText, showBytes } from '../host/bytes.ts';
import { CordonError } from '../host/errors.ts';
import { compileGlob, type GlobMatcher } from './glob.ts';

/** A whole-name pattern over bytes: an exact name, or `*`, `?`, `[seq]`, `[!seq]` as in fnmatch. */
export class Pattern {
  readonly source: Bytes;
  /** Names one variable, so it may admit what only an exact name admits. */
  readonly exact: boolean;
  /** The literal part of `PREFIX*`. */
  readonly prefix: Bytes | undefined;
  /** The longest run of plain bytes: no name without it can match. */
  readonly needle: Bytes;
  /** What was written, where upper and lower case count alike: `source` then names both. */
  readonly anyCase: Bytes | undefined;
  readonly #matches: GlobMatcher;

  private constructor(source: Bytes, literal = !/[*?[]/.test(source), anyCase?: Bytes) {
    this.source = source;
    this.anyCase = anyCase;
    this.exact = literal;
    this.prefix = !literal && /^[^*?[]*\*$/.test(source) ? (source.slice(0, -1) as Bytes) : undefined;
    this.needle = literal ? source : longestPlainRun(source);
    this.#matches = this.exact ? (name) => name === source : compileGlob(source);
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
  const set = membersOf(members);
  const letters = [...set].filter((one) => /[A-Za-z]/.test(one));
  if (letters.every((one) => set.has(otherCase(one)))) return members;
  for (const one of letters) set.add(otherCase(one));
  const plain = [...set].filter((one) => !']!-'.includes(one)).toSorted();
  const has = (one: string) => (set.has(one) ? one : '');
  return `${has(']')}${plain.join('')}${has('!')}${has('-')}`;
}

function membersOf(members: string): Set<string> {
  const set = new Set<string>();
  for (let i = 0; i < members.length; i++) {
    const isRange = members[i + 1] === '-' && i + 2 < members.length;
    const [from, to] = [members.charCodeAt(i), members.charCodeAt(isRange ? i + 2 : i)];
    for (let code = from; code <= to; code++) set.add(String.fromCharCode(code));
    if (isRange) i += 2;
  }
  return set;
}

const otherCase = (letter: string) => (letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase());

function longestPlainRun(source: Bytes): Bytes {
  const runs = source.split(/\[!?\]?[^\]]*\]|[*?]/) as Bytes[];
  return runs.reduce((longest, run) => (run.length > longest.length ? run : longest));
}

const LONGEST_PATTERN = 65_536;

function patternProblem(source: Bytes): string | undefined {
  if (source === '') return 'is empty';
  if (source.length > LONGEST_PATTERN) return `is longer than ${LONGEST_PATTERN} bytes`;
  if (/[=\0]/.test(source)) return 'contains a character that no variable name can have';
  if (/\s/.test(source)) return 'contains white space';
  return hasUnclosedClass(source) ? 'has a [ without its ]' : undefined;
}

/** A `]` right after `[` or `[!` is a member, as in fnmatch. */
function hasUnclosedClass(source: Bytes): boolean {
  let at = source.indexOf('[');
  while (at !== -1) {
    const first = source[at + 1] === '!' ? at + 2 : at + 1;
    const close = source.indexOf(']', first + 1);
    if (close === -1) return true;
    at = source.indexOf('[', close + 1);
  }
  return false;
}
