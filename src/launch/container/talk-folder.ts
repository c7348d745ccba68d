import { existsSync, lstatSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CordonError } from '../../host/errors.ts';
import { ensureFolder, namesIn, quietly } from '../../host/files.ts';
import { LISTENERS } from './arguments.ts';

/*
 * The sockets of a start lie in Cordon's state, which no sandbox shows, whatever its policy: in /tmp a command that has the real one
 * could be the first to connect. The native front makes its own in the same place (native/src/begun.c).
 */

const folderOfTalks = (state: string) => join(state, 'in');

/** In the folder of a start. */
export const talkIn = (folder: string) => join(folder, 'talk');

/** What a socket's address has room for. */
const LONGEST = 107;

/** Named by this process, so that those of others that were killed can be told from those in use. */
export function makeTalkFolder(state: string | undefined): string {
  if (state === undefined)
    throw new CordonError('launch', 'there is no folder that only Cordon reaches, for the socket of a container', {
      hint: 'let XDG_STATE_HOME or CORDON_HOME name a folder that can be written',
    });
  ensureFolder(folderOfTalks(state));
  const parent = realpathSync(folderOfTalks(state));
  const { uid, mode } = lstatSync(parent);
  if (uid !== process.getuid?.() || (mode & 0o077) !== 0)
    throw new CordonError('launch', `${parent} is not this user's alone`, {
      hint: `chmod 700 ${parent}, or remove it`,
    });
  const name = `${process.pid}-`;
  if (Buffer.byteLength(join(talkIn(join(parent, `${name}XXXXXX`)), LISTENERS)) > LONGEST)
    throw new CordonError('launch', `${state} has too long a name for a socket in it`, {
      hint: 'let XDG_STATE_HOME or CORDON_HOME name a folder with a shorter one',
    });
  return mkdtempSync(join(parent, name));
}

/** As far as they can be: a daemon may have made something in one that is root's. */
export function removeLeftTalks(state: string | undefined): void {
  if (state === undefined) return;
  for (const name of namesIn(folderOfTalks(state))) {
    const [, pid] = /^(\d+)-/.exec(name) ?? [];
    if (pid !== undefined && !existsSync(`/proc/${pid}`))
      quietly(() => rmSync(join(folderOfTalks(state), name), { recursive: true, force: true }));
  }
}
