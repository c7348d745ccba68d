import { type BigIntStats, fstatSync, readSync, realpathSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { CordonError } from '../../host/errors.ts';
import { reading } from '../../host/files.ts';
import { shellWord } from '../../host/shell-word.ts';

/** Far more than a policy a person wrote; whatever is longer is no policy. */
const LONGEST = 1024 * 1024;

export interface TrustedText {
  readonly text: string;
  /** Of the very file that was read. */
  readonly file: BigIntStats;
}

/** The text of a policy file, which says something. */
export function readPolicyFile(path: string): string {
  const { text } = readTrustedText(path);
  if (text.trim() === '')
    throw refusal(path, 'is empty', 'an empty policy would pass everything on; write {} in JSON if that is meant');
  return text;
}

/** Everything is checked on the descriptor that is then read, so nothing can change in between. */
export function readTrustedText(path: string): TrustedText {
  const look = (descriptor: number, file: Stats) => {
    if (!file.isFile())
      throw refusal(
        path,
        `is ${file.isDirectory() ? 'a folder' : 'not a regular file'}`,
        'give the path of a policy file',
      );
    checkTrust(path, file);
    const text = decode(path, readAll(path, descriptor));
    return { text, file: fstatSync(descriptor, { bigint: true }) };
  };
  return reading(path, 'followed', look, (code) =>
    code === 'ENOENT' || code === 'ENOTDIR'
      ? refusal(path, 'does not exist', 'check the path')
      : refusal(path, `cannot be opened (${code})`, 'check its owner and mode'),
  );
}

function readAll(path: string, descriptor: number): Buffer {
  const buffer = Buffer.alloc(LONGEST + 1);
  let length = 0;
  for (;;) {
    const count = readSync(descriptor, buffer, length, buffer.length - length, null);
    length += count;
    if (length > LONGEST)
      throw refusal(path, `is larger than ${LONGEST / 1024 / 1024} MiB`, 'that is not a policy; is it the right file?');
    if (count === 0) return buffer.subarray(0, length);
  }
}

function decode(path: string, data: Buffer): string {
  const text = utf8(path, data);
  if (text.includes('\0')) throw refusal(path, 'is a binary file', 'policies are text: JSON, TOML or YAML');
  return text;
}

function utf8(path: string, data: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(data);
  } catch {
    throw refusal(path, 'is not UTF-8 text', 'save it as UTF-8');
  }
}

function refusal(path: string, what: string, hint: string): CordonError {
  return new CordonError('policy', `the file ${what}`, { where: path, hint });
}

const GROUP_OR_OTHER_WRITE = 0o022;
const OTHER_WRITE = 0o002;
const STICKY = 0o1000;

/** Refuses a file that someone else than its reader or root could have written, by its own mode or by replacing it from a folder above. */
export function checkTrust(path: string, file: Pick<Stats, 'uid' | 'mode'>, user = process.geteuid?.()): void {
  if (user === undefined) return;
  const problem = fileProblem(file, user) ?? folderProblem(path, user, process.getegid?.());
  if (problem === undefined) return;
  throw new CordonError('policy', `another user could have written this file: ${problem.why}`, {
    where: path,
    hint: problem.hint(path),
  });
}

interface Doubt {
  readonly why: string;
  readonly hint: (path: string) => string;
}

function fileProblem({ uid, mode }: Pick<Stats, 'uid' | 'mode'>, user: number): Doubt | undefined {
  if (uid !== user && uid !== 0) {
    return {
      why: `it belongs to user id ${uid}`,
      hint: (path) => `look at it, then: chown ${user} ${shellWord(path)}`,
    };
  }
  if ((mode & GROUP_OR_OTHER_WRITE) === 0) return undefined;
  return {
    why: `its mode ${octal(mode)} lets others write`,
    hint: (path) => `look at it, then: chmod go-w ${shellWord(path)}`,
  };
}

function folderProblem(path: string, user: number, group: number | undefined): Doubt | undefined {
  // Inside a user namespace root's files show as nobody's; whoever owns / can replace anything anyway.
  const owners = new Set([user, 0, statSync('/').uid]);
  for (const folder of foldersAbove(realpathSync(path))) {
    const { uid, gid, mode } = statSync(folder);
    if (!owners.has(uid))
      return {
        why: `the folder ${folder} belongs to user id ${uid}`,
        hint: () => `move the file to a folder of your own`,
      };
    if (!isOpen(mode, gid, group)) continue;
    return {
      why: `the folder ${folder} with mode ${octal(mode)} lets others replace it`,
      hint: () => `chmod go-w ${shellWord(folder)}, or move the file`,
    };
  }
  return undefined;
}

/** In a sticky folder nobody replaces another's file. Many systems give each user a group of their own, which counts as the user. */
function isOpen(mode: number, gid: number, group: number | undefined): boolean {
  if ((mode & STICKY) !== 0) return false;
  return (mode & (gid === group ? OTHER_WRITE : GROUP_OR_OTHER_WRITE)) !== 0;
}

function foldersAbove(path: string): string[] {
  const folder = dirname(path);
  return folder === path ? [] : [folder, ...foldersAbove(folder)];
}

const octal = (mode: number) => `0${(mode & 0o7777).toString(8)}`;
