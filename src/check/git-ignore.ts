import { dirname, join, relative, sep } from 'node:path';
import { bytesOfText } from '../host/bytes.ts';
import { Pattern } from '../policy/pattern.ts';
import type { Repository } from './git-index.ts';
import { startOf } from './read.ts';

interface Ignored {
  readonly is: boolean;
  readonly matches: (path: string) => boolean;
}

/** Whether git would leave a file out of `git add .`: the last pattern that matches it, or a folder above it, says. */
export function isIgnored({ root, commonDir }: Repository, file: string, home: string | undefined): boolean {
  const path = relative(root, file).split(sep).join('/');
  const folders = foldersAbove(path);
  const patterns = [
    ...(home === undefined ? [] : patternsIn(join(home, '.config/git/ignore'), '')),
    ...patternsIn(join(commonDir, 'info/exclude'), ''),
    ...folders.flatMap((folder) => patternsIn(join(root, folder, '.gitignore'), folder)),
  ];
  const verdict = (one: string) => patterns.findLast(({ matches }) => matches(one))?.is ?? false;
  return [...folders.slice(1).map((folder) => `${folder}/`), path].some(verdict);
}

/** `''`, `a`, `a/b` for `a/b/.env`. */
function foldersAbove(path: string): string[] {
  const folder = dirname(path);
  return folder === '.' ? [''] : [...foldersAbove(folder), folder];
}

/** Of what is too long for such a file nothing is believed: its end may take back what its start says. */
function patternsIn(file: string, folder: string): Ignored[] {
  const start = startOf(file);
  return (start?.whole === true ? start.data.toString() : '')
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .map(withoutBlanksAtEnd)
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => patternOf(line, folder));
}

/** Those behind a backslash stay, as for git. */
function withoutBlanksAtEnd(line: string): string {
  let end = 0;
  for (let i = 0; i < line.length; i++) {
    if (line[i] === '\\') i++;
    else if (line[i] === ' ') continue;
    end = i + 1;
  }
  return line.slice(0, end);
}

/** The line of a `.gitignore` in the root that means this file and no other; undefined where none can. */
export function lineFor(path: string): string | undefined {
  if (/[\r\n]/.test(path)) return undefined;
  return `/${path.replace(/[\\*?[#!]|\s(?=\s*$)/g, '\\$&')}`;
}

/** A folder's path ends with `/` here. A pattern without a slash inside is looked for at every depth. */
function patternOf(line: string, folder: string): Ignored {
  const text = line.replace(/^!/, '');
  const onlyFolders = text.endsWith('/');
  const body = text.replace(/\/$/, '');
  const anchored = body.includes('/');
  const match = matcher(
    body
      .replace(/^\//, '')
      .replace(/(?:\*\*\/)+/g, '**/')
      .split('/'),
  );
  const matches = (path: string) => {
    if (onlyFolders && !path.endsWith('/')) return false;
    const inside = path.replace(/\/$/, '');
    if (folder !== '' && !inside.startsWith(`${folder}/`)) return false;
    const parts = inside.slice(folder === '' ? 0 : folder.length + 1).split('/');
    return match(anchored ? parts : parts.slice(-1));
  };
  return { is: !line.startsWith('!'), matches };
}

/** Part by part, `**` for any number of them. */
function matcher(pattern: readonly string[]): (parts: readonly string[]) => boolean {
  const globs = pattern.map((part) => (part === '**' ? undefined : globOf(part)));
  const from = (i: number, parts: readonly string[]): boolean => {
    if (i === globs.length) return parts.length === 0;
    const glob = globs[i];
    if (glob === undefined) return from(i + 1, parts) || (parts.length > 0 && from(i, parts.slice(1)));
    return parts.length > 0 && glob(parts[0] ?? '') && from(i + 1, parts.slice(1));
  };
  return (parts) => from(0, parts);
}

/** What is no pattern for us names itself. */
function globOf(part: string): (name: string) => boolean {
  const plain = part.replace(ESCAPED, '$1');
  if (!/[*?[]/.test(part.replace(ESCAPED, ''))) return (name) => name === plain;
  try {
    const pattern = Pattern.parse(part.replace(ESCAPED, (_, one: string) => (/[*?[]/.test(one) ? `[${one}]` : one)));
    return (name) => pattern.matches(bytesOfText(name));
  } catch {
    return (name) => name === plain;
  }
}

const ESCAPED = /\\(.)/gs;
