import { guardName, holdsKnownForm } from '../../decide/guard/index.ts';
import { CONTEXTS, looksRandom } from '../../decide/guard/rules/contexts.ts';
import type { Bytes } from '../../host/bytes.ts';
import { hasLogInAddress, withoutLogIns } from './address.ts';
import { firstBelow, isGivenTo, isOfLogIns } from './below.ts';
import { isLogInName, isWritten } from './given.ts';
import { faultInJson, jsonWithout, parsedJson } from './json.ts';
import { handsOver } from './judge.ts';

/*
 * One judge for settings of any program, in any language: it reads names with values, addresses and commands, line by line, and knows no
 * grammar but indentation, brackets (below.ts) and JSON (json.ts). A line with a log-in is blank in the copy, an address stands without
 * it. Where a line is part of something larger, or nothing would be left, there is no copy: a tool without its settings, never one with
 * others.
 */

/** `nothing`: it holds log-ins and nothing else. `no text`: nobody can tell. A line: the first that is part of something larger. */
type LookedThroughText = 'clean' | 'nothing' | 'no text' | { readonly copy: string } | { readonly line: number };

export function lookThrough(name: string, text: string): LookedThroughText {
  if (NOT_TEXT.test(text)) return OF_PROGRAMS.test(text) ? 'clean' : 'no text';
  if (!MAY_HOLD.test(asRead(text))) return 'clean';
  const first = firstFault(name, text);
  if (first === undefined) return 'clean';
  const copy = copyWithout(name, text);
  if (copy === undefined) return { line: first + 1 };
  return saysAnything(copy) ? { copy } : 'nothing';
}

/** The first line that gives a log-in. */
function firstFault(name: string, text: string): number | undefined {
  const [line] = faultsIn(name, text);
  if (line !== undefined) return line;
  const tree = isJson(name) ? parsedJson(text) : undefined;
  if (tree === undefined) return firstBelow(asRead(text), CODE.test(name));
  const value = faultInJson(tree);
  return value === undefined ? undefined : text.slice(0, Math.max(0, text.indexOf(value))).split('\n').length - 1;
}

function copyWithout(name: string, text: string): string | undefined {
  const isSound = (copy: string | undefined) => copy !== undefined && firstFault(name, copy) === undefined;
  const lines = linesWithout(name, text, faultsIn(name, text));
  if (!isJson(name)) return isSound(lines) ? lines : undefined;
  if (isSound(lines) && parsedJson(lines ?? '') !== undefined) return lines;
  const anew = jsonWithout(text, isFaultOfJson);
  return isSound(anew) ? anew : undefined;
}

const isJson = (name: string) => /\.json$/i.test(name);
const isFaultOfJson = (name: string, value: string) => isFault(`"${name}": ${JSON.stringify(value)}`, '', false);

const MAY_HOLD =
  /:\/\/|@|key|token|secret|pass|pwd|auth|cred|cookie|bearer|jwt|pat\b|curl|mysql|mariadb|PRIVATE|[A-Za-z0-9+/_-]{20}/i;

/** A NUL, or the mark of UTF-16: an editor may still read it as settings. */
const NOT_TEXT = /\0|^(?:\xff\xfe|\xfe\xff)/;
/** What begins as pictures, fonts, archives, databases and compiled files do is no settings that anybody wrote. */
const OF_PROGRAMS = new RegExp(
  [
    String.raw`^(?:\x89PNG|\xff\xd8\xff|GIF8|RIFF|BM.{4}\0{4}|\0\0[\x01\x02]\0|icns|OTTO|ttcf|\0\x01\0\0|wOF[F2]|%PDF|OggS|ID3`,
    String.raw`|\x7fELF|MZ|\xca\xfe\xba\xbe|[\xce\xcf]\xfa\xed\xfe|\0asm|!<arch>|\x1bL|;ELC|\xde\x12\x04\x95|\x95\x04\x12\xde`,
    String.raw`|PK\x03\x04|\x1f\x8b|\xfd7zXZ|\x28\xb5\x2f\xfd|BZh|SQLite format 3\0|\x1a\x01|\x1e\x02|VIMs|Vim\x9f|b0VIM|bplist|DIRC)`,
  ].join(''),
  's',
);

const CONTROLS = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/g;
/** A form feed, an escape of a terminal or a stray byte changes nothing for the program that reads the line. */
const asRead = (text: string) => withoutEscapes(text.replace(CONTROLS, ''));
/** `"pass\u0077ord"` is a name like any other. */
const withoutEscapes = (text: string) =>
  text.includes('\\')
    ? text.replace(/\\(?:u00|x)([3-7][0-9a-f])/gi, (whole, code: string) => {
        const character = String.fromCharCode(Number.parseInt(code, 16));
        return /\w/.test(character) ? character : whole;
      })
    : text;

/** Languages in which a bare word is a name, not a text. */
const CODE =
  /\.(?:lua|el|vim|kts?|gradle|groovy|sbt|scala|jl|rb|exs?|py|js|ts|clj|edn|scm)$|^\.?(?:g?vimrc|emacs|spacemacs|irbrc|exrc|ideavimrc)$/;
const SECTION = /^\s*\[+\s*([^\]]+?)\s*\]+\s*(?:[#;].*)?$/;
const PRIVATE_KEY = /-----BEGIN [A-Z ]*PRIVATE KEY/;

function faultsIn(name: string, text: string): Set<number> {
  const isCode = CODE.test(name);
  const faults = new Set<number>();
  let section = '';
  for (const [at, line] of asRead(text).split('\n').entries()) {
    section = isCode ? '' : (SECTION.exec(line)?.[1] ?? section);
    if (line.length > 2 && isFault(line, section, isCode)) faults.add(at);
  }
  return faults;
}

/** What `assigned-credential` finds is found here too, and what only looks like it in code is not. */
const READINGS = CONTEXTS.filter(
  ({ id }) => !['assigned-credential', 'url-userinfo', 'npm-auth', 'proxy-userinfo'].includes(id),
);
/** `new Credentials("realm", "host", "name", "password")`. */
const CALL = /\b\w*(?:credential|login)\w*\s{0,9}\(\s{0,9}(?:"[^"]{0,99}"\s{0,9},\s{0,9}){2,9}"[^"]+"/i;
const HEADER = /authorization["']?\s{0,3}[:=]\s{0,3}["']?(?:bearer|basic|token)\s{1,3}(?![$<%{])[\w.~+/=-]{4}/i;
const MAY_CALL = /credential|login/i;

const isFault = (line: string, section: string, isCode: boolean) =>
  MAY_HOLD.test(section === '' ? line : `${line}${section}`) &&
  (hasLogInAddress(line) ||
    holdsKnownForm(line as Bytes) ||
    PRIVATE_KEY.test(line) ||
    HEADER.test(line) ||
    isCommandWithLogIn(withoutReferences(line), isCode) ||
    (MAY_CALL.test(line) && CALL.test(line)) ||
    (isCode && line.includes('[') && isGivenLongString(line)) ||
    givenIn(line, section, isCode));

/** Lua's `name = [[value]]`. */
const LONG_STRING = /([A-Za-z_][\w.-]{0,99})["'\]]{0,2}\s{0,9}=\s{0,9}\[={0,9}\[([^\]]*)/g;
const isGivenLongString = (line: string) =>
  [...line.matchAll(LONG_STRING)].some(
    ([, name = '', value = '']) => isLogInName(name) && (value === '' || isWritten(value)),
  );

const isCommandWithLogIn = (line: string, isCode: boolean) =>
  READINGS.some(({ test }) => test(line as Bytes, '' as Bytes)) || (!isCode && handsOver(line));

/** In the place of a value: `user:$PASS`, `TOKEN=$(gh auth token)`. */
const REFERENCE = /(?<=[:=]["']?)(?:\$\w+|\$\{\w+\}|\$\(([^()`]*)\)|`([^`]*)`)(?![\w.~+/-])/g;

/** A variable holds no value, nor does what a command prints, unless the command is given it; so the command stays to be judged. */
const withoutReferences = (line: string) =>
  /[$`]/.test(line)
    ? line.replace(REFERENCE, (whole, command = '', quoted = '') =>
        /\b(?:echo|printf)\b/.test(command + quoted) ? whole : ` ; ${command}${quoted} ; `,
      )
    : line;

/** A name, what ends it, and what it is given, in whichever way: `name = value`, `"name": "value"`, `<name>value`, `setenv NAME value`. */
const PAIR =
  /([A-Za-z_][\w.-]{0,99})(["'\]]{0,2})(\s{0,9}(?:=>|:=|\?=|[:=>,])\s{0,9}|\s{1,9})(?=("{3}|'{3}|"(?:[^"\\]|\\.)*"|'[^']*'|[^\s"'<>,;(){}[\]]+))/g;

function givenIn(line: string, section: string, isCode: boolean): boolean {
  const heading = section.replace(/["']/g, '');
  const isOfLogIn = isLogInName(heading);
  const isBelow = isOfLogIns(heading);
  for (const match of line.matchAll(PAIR)) {
    const [all, name = '', end = '', between = '', value = ''] = match;
    const rest = line.slice(match.index + all.length + value.length);
    const isQuoted = /^["']/.test(value);
    if (!isQuoted && (isCode || !isWhole(between, end, rest, name))) continue;
    if ((isOfLogIn || isLogInName(name)) && isWritten(value)) return true;
    if (isBelow && isGivenTo(name, value)) return true;
    if (guardName(name as Bytes) !== undefined && looksRandom(value.replace(/["']/g, ''))) return true;
  }
  return false;
}

/** `TOKEN value` and nothing more; what goes on is a sentence. */
function isWhole(between: string, end: string, rest: string, name: string): boolean {
  if (/[=>,]/.test(between)) return true;
  const isLast = /^\s*(?:[#;}\],].*)?$/.test(rest);
  return (
    isLast && (between.includes(':') || end !== '' || /^[A-Z][A-Z0-9]*_[A-Z0-9_]+$/.test(name) || ALONE.test(name))
  );
}

const ALONE = /^(?:password|passwd|token|secret)$/;
/** But for comments, headings and brackets: a file that is emptied would be another one. */
const saysAnything = (text: string) =>
  text.split('\n').some((line) => !SECTION.test(line) && /^\s*(?![#;]|\/\/|--)[^\n]*[\w]/.test(line));

function linesWithout(name: string, text: string, faults: ReadonlySet<number>): string | undefined {
  const lines = text.split('\n');
  const kept = lines.map((line, at) => {
    if (!faults.has(at)) return line;
    const plain = withoutLogIns(line);
    if (plain !== line && faultsIn(name, `${plain}\n`).size === 0) return plain;
    return isAlone(line, lines[at - 1] ?? '') ? '' : undefined;
  });
  return kept.includes(undefined) ? undefined : kept.join('\n');
}

/** Taken out, it leaves the rest as it was: brackets, quotes and elements that begin in it end in it. */
function isAlone(line: string, before: string): boolean {
  const bare = line.replace(/"(?:[^"\\]|\\.)*"|'[^']*'/g, '');
  if (/["']/.test(bare.replace(/\w'\w/g, '')) || /\\\s*$/.test(line) || /\\\s*$/.test(before)) return false;
  const isEven = (open: RegExp, close: RegExp) => bare.split(open).length === bare.split(close).length;
  return (
    isEven(/\(/, /\)/) &&
    isEven(/\[/, /\]/) &&
    isEven(/\{/, /\}/) &&
    isEven(/<[A-Za-z](?![^<]*\/>)/, /<\//) &&
    !/:\s*[|>][+-]?\s*$/.test(bare)
  );
}
