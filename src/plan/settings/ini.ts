import { judge, refuse } from './judge.ts';

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
