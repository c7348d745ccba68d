import { realpathSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { CordonError } from '../../host/errors.ts';

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
    return { why: `it belongs to user id ${uid}`, hint: (path) => `look at it, then: chown ${user} '${path}'` };
  }
  if ((mode & GROUP_OR_OTHER_WRITE) === 0) return undefined;
  return { why: `its mode ${octal(mode)} lets others write`, hint: (path) => `look at it, then: chmod go-w '${path}'` };
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
      hint: () => `chmod go-w '${folder}', or move the file`,
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
