import { judge, refuse } from './judge.ts';

export interface GitEntry {
  /** In small letters but for the part in quotes, as git compares them: `remote "Origin"`. */
  readonly section: string;
  readonly key: string;
  /** Undefined: the key stands alone, which means true. */
  readonly value: string | undefined;
}

const BLANK = /(?:[ \t\n]+|[#;][^\n]*)+/y;
const HEADER = /\[([A-Za-z0-9.-]+)(?:[ \t]+"((?:[^"\\\n]|\\[^\n])*)")?\]/y;
const KEY = /([A-Za-z][A-Za-z0-9-]*)[ \t]*(=?)[ \t]*/y;

/**
 * Git's own grammar: `[section "sub"]`, `key = value` perhaps on the same line, quotes, escapes, comments, values that go on after a
 * backslash. What git could not read is refused.
 */
export function parseGit(file: string): GitEntry[] {
  const text = file.replace(/^\xef\xbb\xbf/, '').replaceAll('\r\n', '\n');
  const entries: GitEntry[] = [];
  let section: string | undefined;
  for (let at = skipped(text, 0); at < text.length; at = skipped(text, at)) {
    const [header, name = '', part] = matchAt(HEADER, text, at) ?? [];
    if (header !== undefined) {
      section = `${name.toLowerCase()}${part === undefined ? '' : ` "${part}"`}`;
      at += header.length;
      continue;
    }
    const [before, key = '', equals] = matchAt(KEY, text, at) ?? refuse();
    const read = equals === '=' ? valueAt(text, at + before.length) : aloneAt(text, at + before.length);
    entries.push({ section: section ?? refuse(), key: key.toLowerCase(), value: read.value });
    at = read.end;
  }
  return entries;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

const skipped = (text: string, at: number) => at + (matchAt(BLANK, text, at)?.[0].length ?? 0);

interface ReadValue {
  readonly value: string | undefined;
  readonly end: number;
}

const aloneAt = (text: string, end: number): ReadValue =>
  (text[end] ?? '\n') === '\n' ? { value: undefined, end } : refuse();

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', b: '\b', '"': '"', '\\': '\\', '\n': '' };
const UNQUOTED = /[ \t]+|[^\\"#; \t\n]+|\\([\s\S])/y;
const QUOTED = /"((?:[^"\\\n]|\\[\s\S])*)"/y;

/** Pieces in quotes, pieces without, and space, which counts only between them. */
function valueAt(text: string, start: number): ReadValue {
  const parts: string[] = [];
  let end = start;
  while (end < text.length && !/[#;\n]/.test(text[end] ?? '')) {
    const [quotes, inner = ''] = matchAt(QUOTED, text, end) ?? [];
    const [piece] = quotes === undefined ? (matchAt(UNQUOTED, text, end) ?? refuse()) : [quotes];
    parts.push(quotes === undefined ? unescaped(piece) : unescaped(inner));
    end += piece.length;
  }
  const isSpace = /^[ \t]+$/.test(text.slice(end - 1, end)) && /^[ \t]+$/.test(parts.at(-1) ?? '');
  return { value: (isSpace ? parts.slice(0, -1) : parts).join(''), end };
}

const unescaped = (text: string) => text.replace(/\\([\s\S])/g, (_, char: string) => ESCAPES[char] ?? refuse());

/** Git's settings without what logs in: headers, tokens, passwords, log-ins in addresses. Who commits, aliases and the rest stay. */
export function keptOfGit(entries: readonly GitEntry[]): GitEntry[] {
  return entries.flatMap((entry) => {
    // A section about an address with a log-in in it would tell it by its name.
    if (judge(['section'], entry.section) !== entry.section) return [];
    if (entry.value === undefined) return [entry];
    const value = judge([entry.key], entry.value);
    return value === undefined ? [] : [{ ...entry, value }];
  });
}

/** Whose commits these are: nothing else of the settings but what brings more of it. */
export const isIdentity = ({ section, key }: GitEntry) =>
  /^(?:user|author|committer) (?:name|email|useconfigonly)$/.test(`${section} ${key}`) ||
  /^include(?:if)?(?: |$)/.test(section) ||
  section === 'safe';

export function gitText(entries: readonly GitEntry[]): string {
  const lines = entries.map(({ section, key, value }, at) => {
    const header = entries[at - 1]?.section === section ? '' : `[${section}]\n`;
    return `${header}\t${key}${value === undefined ? '' : ` = ${quoted(value)}`}\n`;
  });
  return lines.join('');
}

const quoted = (value: string) =>
  `"${value.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\t', '\\t').replaceAll('\b', '\\b')}"`;
