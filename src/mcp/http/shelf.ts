import { realpathSync, statSync } from 'node:fs';
import { CordonError } from '../../host/errors.ts';
import type { Skill } from '../../sessions/types.ts';

/** The folder that holds the workspaces must be there, and no skill in it: what one user's commands can write would run with the secrets of another. */
export function checkShelf(workspaces: string, skills: readonly Skill[]): void {
  if (statSync(workspaces, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new CordonError('serve', 'the folder of the workspaces is not there, or is no folder', {
      where: workspaces,
      hint: 'make it, and in it a folder for each user',
    });
  const shelf = realpathSync(workspaces);
  const inside = skills.find(({ folder }) => `${folder}/`.startsWith(`${shelf}/`));
  if (inside === undefined) return;
  throw new CordonError('serve', `the skill '${inside.name}' lies among the workspaces, where commands can change it`, {
    where: inside.folder,
    hint: 'keep skills for all users where none of them can write',
  });
}
