import { judge, refuse } from './judge.ts';

interface GitEntry {
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
    if (isCommand(entry) && saysPassword(entry.key, entry.value)) return [];
    const value = judge([entry.key], entry.value);
    return value === undefined ? [] : [{ ...entry, value }];
  });
}

/** What git pipes files through, or asks for a password. */
const isCommand = ({ section, key }: GitEntry) =>
  /^(?:filter|diff|merge|core|sendemail|credential|gpg)\b/.test(section) &&
  /^(?:clean|smudge|process|textconv|command|driver|askpass|smtpserver|sshcommand|helper|program|\w+cmd)$/.test(key);

/** `-k …` of such a command is its key; what asks for a password is a program without arguments. */
const saysPassword = (key: string, value: string) =>
  /\s-(?:k|K|p|P|pass)(?:\s+["']?(?![-$%/~"'])|(?=\w{3}))[^\s"']{3}/.test(value) ||
  (key === 'askpass' && /\s/.test(value));

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

/** npm's settings: `key = value` lines, whose keys and values may be quoted as in JSON. Comments, which may hold what once was a line, go. */
export function cleanNpmrc(text: string): string {
  return mapLines(text, (line) => {
    if (/^[;#]/.test(line)) return undefined;
    if (/^\[[^\]"\\]*\]$/.test(line)) return line;
    const [left, right] = atFirst(line, /=/);
    // A word alone may be a setting, or what someone pasted.
    const value = right === undefined ? undefined : keptNpm(unquoted(left), unquoted(right), right);
    return value === undefined ? undefined : `${left}=${value}`;
  });
}

/** Yarn 1: `key value`, either of them perhaps in quotes. */
export function cleanYarnrc(text: string): string {
  return mapLines(text, (line) => {
    if (line.startsWith('#')) return undefined;
    const [left, right] = atFirst(line, /\s/);
    if (right === undefined) return refuse();
    const value = keptNpm(unquoted(left.replace(/:$/, '')), unquoted(right), right);
    return value === undefined ? undefined : `${left} ${value}`;
  });
}

/** A reference to a variable tells no secret; whether the variable arrives is for the policy to say. */
const ONLY_A_REFERENCE = /^\$\{\w+\??\}$/;
const LOG_IN = /^_?(?:auth|authtoken|password)$|^(?:key|cert|certfile|keyfile|username)$/i;

/** What stands behind the key afterwards; of what belongs to a host only what can be no log-in. */
function keptNpm(key: string, value: string, written: string): string | undefined {
  if (ONLY_A_REFERENCE.test(value)) return written;
  const name = key.replace(/\[\]$/, '').split(':').at(-1) ?? '';
  if (LOG_IN.test(name) || (key.startsWith('//') && !/^(?:registry|always-auth)$/.test(name))) return undefined;
  return judge([name], value) === undefined ? undefined : judge([name], written);
}

function unquoted(text: string): string {
  if (text.startsWith("'")) return /^'([^']*)'$/.exec(text)?.[1] ?? refuse();
  if (!text.startsWith('"')) return text;
  const value: unknown = JSON.parse(text);
  return typeof value === 'string' ? value : refuse();
}

/** Python's configparser: sections, `key = value` or `key: value`, values that go on in indented lines. */
export function cleanPip(text: string): string {
  let key: string | undefined;
  return mapLines(text, (line, isIndented) => {
    if (/^[#;]/.test(line)) return undefined;
    if (isIndented) return judged(key ?? refuse(), line, '  ');
    if (/^\[[^\]]+\]$/.test(line)) {
      key = '';
      return line;
    }
    const [left, right] = atFirst(line, /[=:]/);
    if (right === undefined || left === '' || key === undefined) return refuse();
    key = left;
    return judged(key, right, `${key} = `);
  });
}

function judged(key: string, value: string, before: string): string | undefined {
  const kept = judge([key], value);
  return kept === undefined ? undefined : `${before}${kept}`;
}

/** Each line that says something, without the space around it; undefined leaves it out. */
function mapLines(text: string, clean: (line: string, isIndented: boolean) => string | undefined): string {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  const kept = lines.flatMap((line) => clean(line.trim(), /^\s/.test(line)) ?? []);
  return kept.length === 0 ? '' : `${kept.join('\n')}\n`;
}

/** What stands on both sides of the first separator. */
function atFirst(line: string, separator: RegExp): [string, string?] {
  const at = line.search(separator);
  return at < 0 ? [line] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
}
