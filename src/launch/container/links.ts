import { accessSync, constants, lstatSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { CordonError } from '../../host/errors.ts';
import { realPathOf } from '../../host/files.ts';
import { homesOf, isWithin } from '../../host/folders.ts';
import type { ParentEnv } from '../../host/parent-env.ts';

/** Folders in which commands of this user write, so that every link in them may be one of theirs. */
const SHARED = ['/tmp', '/var/tmp', '/dev/shm', '/run/user'];

/**
 * An engine follows every link in what it is told to show. The launcher follows none that a command could have made when it builds a
 * root on this machine (native/src/sources.c); what a container shows is held to the same.
 */
export function refuseLink(path: string, env: ParentEnv, written: readonly string[]): void {
  const trusted = trustedPart(path, env, written);
  let at = trusted;
  for (const part of path
    .slice(trusted.length)
    .split('/')
    .filter((one) => one !== '')) {
    at = join(at, part);
    if (lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink() !== true) continue;
    const why = 'it is not followed, since a command could have made it';
    throw new CordonError('policy', `${at} is a link to ${readlinkSync(at)}: ${why}`, {
      hint: `remove it, or name what it leads to instead of ${path}`,
    });
  }
}

/** How far links may be followed: a home's own name is the user's, what lies in it is not. */
function trustedPart(path: string, env: ParentEnv, written: readonly string[]): string {
  const { home, passwdHome } = homesOf(env);
  const homes = [home, passwdHome].flatMap((one) => (one === undefined || one === '/' ? [] : [one, realPathOf(one)]));
  const ofHome = homes.find((one) => isWithin(path, one));
  if (ofHome !== undefined) return ofHome;
  const open = [...SHARED, ...written, ...ownFolder(path)].filter((one) => one !== path && isWithin(path, one));
  return open.sort((a, b) => a.length - b.length)[0] ?? path;
}

/** The first folder on the way that this user can write. To root that says nothing, since it is every folder. */
function ownFolder(path: string): string[] {
  if (process.getuid?.() === 0) return [];
  const parts = path.split('/').slice(1, -1);
  const above = parts.map((_, index) => `/${parts.slice(0, index + 1).join('/')}`);
  return above.filter(canWrite).slice(0, 1);
}

function canWrite(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
