import { judge, refuse } from './judge.ts';

const KEY = `(?:[A-Za-z0-9_-]+|"[^"\\\\]*"|'[^']*')`;
const KEYS = `${KEY}(?:\\s*\\.\\s*${KEY})*`;
const HEADER = new RegExp(`^\\[{1,2}\\s*(${KEYS})\\s*\\]{1,2}\\s*(?:#.*)?$`);
const ENTRY = new RegExp(`^(${KEYS})\\s*=\\s*(.*)$`);

/** TOML as cargo and bun have it: tables, and values on one line or in brackets over several. Text over several lines is refused. */
export function cleanToml(text: string): string {
  const kept: string[] = [];
  let isOfLogIn = false;
  const lines = text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .reverse();
  while (lines.length > 0) {
    const line = lines.pop() ?? '';
    if (line === '' || line.startsWith('#')) continue;
    const [, table] = HEADER.exec(line) ?? [];
    if (table !== undefined) {
      isOfLogIn = namesOf(table).some(isLogIn);
      kept.push(line);
      continue;
    }
    const [, key = '', first = ''] = ENTRY.exec(line) ?? refuse();
    const names = namesOf(key);
    const value = judgeToml(names.at(-1) ?? '', valueFrom(first, lines));
    if (value !== undefined && !isOfLogIn && !names.slice(0, -1).some(isLogIn)) kept.push(`${key} = ${value}`);
  }
  return kept.length === 0 ? '' : `${kept.join('\n')}\n`;
}

const namesOf = (key: string) =>
  (key.match(/[A-Za-z0-9_-]+|"[^"]*"|'[^']*'/g) ?? []).map((name) => name.replace(/^["']|["']$/g, ''));

/** `[env.API_TOKEN]`: all that stands below is about a log-in. */
const isLogIn = (name: string) => judge([name], '') === undefined;

const STRING = /"(?:[^"\\]|\\.)*"|'[^']*'/g;

/** The value that begins here, with the lines (the next is the last) it goes on in until its brackets are closed. */
function valueFrom(first: string, lines: string[]): string {
  const parts = [bare(first)];
  let depth = depthOf(parts[0] ?? '');
  while (depth > 0 && lines.length > 0) {
    const part = bare(lines.pop() ?? '');
    parts.push(part);
    depth += depthOf(part);
  }
  return depth === 0 ? parts.join(' ') : refuse();
}

/** Without a comment. */
function bare(value: string): string {
  if (/"""|'''/.test(value)) refuse();
  const [plain = ''] = /^(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^"'#])*/.exec(value) ?? [];
  return plain.length === value.length || value[plain.length] === '#' ? plain.trim() : refuse();
}

/** How many brackets stay open. */
function depthOf(value: string): number {
  const outside = value.replaceAll(STRING, '');
  return outside.split(/[[{]/).length - outside.split(/[\]}]/).length;
}

/** A value with names of its own in braces goes as a whole when one of them is a credential. */
function judgeToml(key: string, value: string): string | undefined {
  const names = value
    .replaceAll(STRING, (text) => text.replace(/[={},]/g, ' '))
    .matchAll(/([A-Za-z0-9_-]+|"[^"]*"|'[^']*')\s*=/g);
  if ([...names].some(([, name = '']) => judge([name.replace(/["']/g, '')], '') === undefined)) return undefined;
  const strings = value.match(STRING) ?? [];
  if (strings.some((text) => judge([key], text.slice(1, -1)) === undefined)) return undefined;
  return judge([key], value);
}
