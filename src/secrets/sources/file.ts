import { readSync, type Stats } from 'node:fs';
import { posix } from 'node:path';
import { reading } from '../../host/files.ts';
import { shellWord } from '../../host/shell-word.ts';
import type { Secret } from '../secret.ts';
import { READ_LIMIT, secretOf } from '../value.ts';
import { badReference, type SecretSource, Unavailable } from './source.ts';

/** `file:///abs/path`: a file that only this user, or root, could have written and read. */
export const file: SecretSource = {
  parse(rest, where) {
    const good = rest.startsWith('/') && posix.normalize(rest) === rest && !rest.endsWith('/') && !rest.includes('\0');
    if (!good) throw badReference(`file://${rest}`, 'file:///absolute/path, without . or ..', where);
    return { label: `file://${rest}`, parts: [rest] };
  },

  resolve({ parts: [path = ''] }) {
    const look = (descriptor: number, stats: Stats) => {
      checkFile(stats, path);
      return read(descriptor);
    };
    return reading(path, 'refused', look, (code) => new Unavailable(...openProblem(code, path)));
  },
};

function openProblem(code: string, path: string): [string, string] {
  const word = shellWord(path);
  if (code === 'ENOENT' || code === 'ENOTDIR') return ['the file does not exist', `write it, then: chmod 600 ${word}`];
  if (code === 'ELOOP') return ['it is a symbolic link', `name the file itself: readlink -f ${word}`];
  if (code === 'EACCES' || code === 'EPERM') return ['it may not be read', `it must belong to you: ls -l ${word}`];
  return [`it cannot be opened (${code})`, `look at it: ls -l ${word}`];
}

/** Asked of the open descriptor, so that nobody can change the file in between. */
export function checkFile(stats: Stats, path: string): void {
  if (!stats.isFile()) throw new Unavailable('it is not a regular file', `look at it: ls -ld ${shellWord(path)}`);
  const us = process.getuid?.();
  if (us === undefined) return;
  if (stats.uid !== us && stats.uid !== 0)
    throw new Unavailable('it belongs to another user', `look at it: ls -l ${shellWord(path)}`);
  if ((stats.mode & 0o077) !== 0) throw new Unavailable('others may read or write it', `chmod 600 ${shellWord(path)}`);
}

function read(descriptor: number): Secret {
  const space = Buffer.alloc(READ_LIMIT);
  let length = 0;
  for (let count = -1; count !== 0 && length < space.length; length += count) {
    count = readSync(descriptor, space, length, space.length - length, null);
  }
  const secret = secretOf(space.subarray(0, length));
  space.fill(0);
  return secret;
}
