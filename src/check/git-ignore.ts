import { dirname, join, relative, sep } from 'node:path';
import { bytesOfText } from '../host/bytes.ts';
import { textIn } from '../host/if-there.ts';
import { Pattern } from '../policy/pattern.ts';
import type { Repository } from './git-index.ts';

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

function patternsIn(file: string, folder: string): Ignored[] {
  return textIn(file)
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map((line) => patternOf(line.trim(), folder));
}

/** A folder's path ends with `/` here. A pattern without a slash inside is looked for at every depth. */
function patternOf(line: string, folder: string): Ignored {
  const text = line.replace(/^!/, '').replace(/^\\/, '');
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
  try {
    const pattern = Pattern.parse(part);
    return (name) => pattern.matches(bytesOfText(name));
  } catch {
    return (name) => name === part;
  }
}
