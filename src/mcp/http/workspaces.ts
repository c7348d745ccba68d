import { existsSync, mkdirSync, realpathSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CordonError } from '../../host/errors.ts';
import { isWithin } from '../../host/folders.ts';
import { checkUserName } from '../../secrets/sandboxed/user-name.ts';
import type { Skill } from '../../sessions/types.ts';

/** The folder that holds the workspaces must be there, and no skill in it: what one user's commands can write would run with the secrets of another. */
export function checkWorkspaces(workspaces: string, skills: readonly Skill[]): void {
  if (statSync(workspaces, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new CordonError('serve', 'the folder of the workspaces is not there, or is no folder', {
      where: workspaces,
      hint: 'make it, and in it a folder for each user',
    });
  const around = realpathSync(workspaces);
  const inside = skills.find(({ folder }) => isWithin(folder, around));
  if (inside === undefined) return;
  throw new CordonError('serve', `the skill '${inside.name}' lies among the workspaces, where commands can change it`, {
    where: inside.folder,
    hint: 'keep skills for all users where none of them can write',
  });
}

/** Whoever can write among the tokens makes one for any user. */
export function checkTokens(workspaces: string, tokens: string | undefined): void {
  if (tokens === undefined || !existsSync(tokens)) return;
  const [around, place] = [realpathSync(workspaces), realpathSync(tokens)];
  if (!isWithin(place, around) && !isWithin(resolve(tokens), resolve(workspaces))) return;
  throw new CordonError('serve', 'the tokens lie among the workspaces, where commands can change them', {
    where: tokens,
    hint: 'keep them where no user can write',
  });
}

/** Where users come with their tokens, nobody is there to make it for them. What stands there already is for the session to judge. */
export function makeWorkspace(workspaces: string, user: string): void {
  const folder = join(workspaces, checkUserName(user));
  try {
    mkdirSync(folder, 0o700);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return;
    throw new CordonError('serve', `no workspace can be made (${code})`, {
      where: folder,
      hint: 'the folder of the workspaces must be writable, and have room',
    });
  }
}
