import { isLogInName, isWritten, looksGiven } from './given.ts';

/*
 * Log-ins that stand below their name, or in brackets after it: a list of tokens, a password on the next line, `auth` with a host and its
 * value. What belongs to a name is told by indentation and brackets, which every language of settings has.
 */

/** A name whose value has not ended. */
interface Open {
  readonly name: string;
  readonly indent: number;
  /** Brackets that are open; undefined: what is indented belongs to it. */
  depth: number | undefined;
  /** Nothing of it was seen. */
  isNew: boolean;
}

const MAY_OPEN = /key|token|secret|pass|pwd|auth|cred|jwt|pat\b|bearer/i;
const OPENS = /([A-Za-z_][\w.-]{0,99})["'\]]{0,2}\s{0,9}(?:=>|:=|\?=|[:=>])\s{0,9}(?=[[({]|$|#|--|\/\/)/g;
/** More of them in one another, or on one line, is nothing that people write: then it counts as a log-in. */
const MOST_OPEN = 12;

/** The first line that gives a log-in to a name above it, or in brackets. */
export function firstBelow(text: string, isCode: boolean): number | undefined {
  let open: Open[] = [];
  for (const [at, line] of text.split('\n').entries()) {
    if (line.trim() === '' || (open.length === 0 && !MAY_OPEN.test(line))) continue;
    open = open.filter((one) => belongs(one, line));
    if (open.some((one) => goesOn(one, line, isCode))) return at;
    const more = MAY_OPEN.test(line) ? opened(line) : [];
    if (open.length + more.length > MOST_OPEN) return at;
    if (more.some(([one, rest]) => one.depth !== undefined && goesOn(one, rest, isCode))) return at;
    open = [...open, ...more.map(([one]) => one)].filter(({ depth }) => depth !== 0);
  }
  return undefined;
}

function opened(line: string): [Open, string][] {
  const found: [Open, string][] = [];
  for (const match of line.matchAll(OPENS)) {
    const [all, name = ''] = match;
    const isAttribute = /[^=]>\s*$/.test(all) && line[match.index - 1] !== '<';
    if (isAttribute || !isOfLogIns(name)) continue;
    const rest = line.slice(match.index + all.length);
    found.push([{ name, indent: indentOf(line), depth: /^[[({]/.test(rest) ? 0 : undefined, isNew: true }, rest]);
    if (found.length > MOST_OPEN) break;
  }
  return found;
}

const indentOf = (line: string) => line.length - line.trimStart().length;

/** Names of which the log-ins may stand further down. */
export const isOfLogIns = (name: string) =>
  isLogInName(name) || isLogInName(name.replace(/s$/i, '')) || /^auths?$/i.test(name);

function belongs({ depth, indent, isNew }: Open, line: string): boolean {
  if (depth !== undefined || indentOf(line) > indent) return true;
  return indentOf(line) === indent && (isNew ? /^\s*(?:["'[({]|-\s)/ : /^\s*-\s/).test(line);
}

/** Whether a line, or the rest of one, that belongs to a name gives it a log-in; what is open after it is noted. */
function goesOn(one: Open, line: string, isCode: boolean): boolean {
  if (one.isNew && one.depth === undefined && /^\s*[[({]/.test(line)) one.depth = 0;
  one.isNew = false;
  if (one.depth === undefined) return givesIn(one.name, line, isCode, true);
  const [end, depth] = closing(line, one.depth);
  const isList = one.depth > 0 || line.trimStart().startsWith('[');
  one.depth = depth;
  return givesIn(one.name, line.slice(0, end), isCode, isList);
}

/** Where the brackets close, and how many are open there. */
function closing(line: string, before: number): [end: number, depth: number] {
  let depth = before;
  for (const match of line.matchAll(/"(?:[^"\\]|\\.)*"|'[^']*'|[[({]|[\])}]/g)) {
    if (/^["']/.test(match[0])) continue;
    depth += '[({'.includes(match[0]) ? 1 : -1;
    if (depth <= 0) return [match.index, 0];
  }
  return [line.length, depth];
}

function givesIn(name: string, part: string, isCode: boolean, isList: boolean): boolean {
  const whole = part
    .trim()
    .replace(/^(?:-\s+)+/, '')
    .replace(/,$/, '');
  if (!isCode && !/^[#;/]|^--/.test(whole) && !HAS_NAME.test(whole) && isGiven(name, whole, isList)) return true;
  const isInline = part.trimStart().startsWith('[');
  for (const { key, value } of valuesIn(part)) {
    const isQuoted = /^["']/.test(value);
    if (isCode && !isQuoted) continue;
    if (key === undefined ? (isQuoted || isInline) && isGiven(name, value, isList) : isGivenTo(key, value)) return true;
  }
  return false;
}

const TOKENS = /"(?:[^"\\]|\\.)*"|'[^']*'|[^\s"',;(){}[\]<>]+/g;
const ENDS_NAME = /\s{0,9}(?:=>|[:=])/y;

/** Texts and words, with the name that each has there, if any. */
function* valuesIn(part: string): Generator<{ readonly key: string | undefined; readonly value: string }> {
  let key: string | undefined;
  for (const { 0: token, index } of part.matchAll(TOKENS)) {
    if (/^[:=]+$/.test(token)) continue;
    const [, bare, value = token] = /^([\w.-]+)[:=](.*)$/.exec(token) ?? [];
    ENDS_NAME.lastIndex = index + token.length;
    if (value === '' || ENDS_NAME.test(part)) key = bare ?? token;
    else {
      yield { key: bare ?? key, value };
      key = undefined;
    }
  }
}

const HAS_NAME = /^["']?[\w.@/-]+["']?\s{0,9}(?:=>|[:=])|["'[({]/;
/** What a password is never called, and what looks as generated as one. */
const OF_VERSIONS =
  /^["']?(?:commit|rev(?:ision)?|ref|tag|branch|hash|sha\d*|checksum|integrity|digest|version|fingerprint|narHash)["']?$/i;

/** To a name that stands below the one of a log-in. */
export const isGivenTo = (key: string, value: string) => !OF_VERSIONS.test(key) && looksGiven(value);

/** To the name itself. Tokens may be a grammar's, and secrets names of such. */
export function isGiven(name: string, value: string, isList: boolean): boolean {
  if (looksGiven(value)) return true;
  const isSure = isLogInName(name) && !/s$/i.test(name);
  if (!isList || !(isSure || isLogInName(name.replace(/s$/i, '')))) return false;
  return isWritten(value) && (isSure || /passw|passphrase/i.test(name) || IS_MIXED.test(value));
}

const IS_MIXED = /^["']?(?=[^"']*\d)(?=[^"']*[a-z])[^\s"'#.]{8,}["']?$/i;
