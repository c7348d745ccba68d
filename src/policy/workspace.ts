import { realpathSync, statSync } from 'node:fs';
import { CordonError } from '../host/errors.ts';
import { presenceOf } from '../host/files.ts';
import type { Homes } from '../host/folders.ts';
import { nearest } from './nearest.ts';
import { WORKSPACE_MODES, workspaceProblem } from './places.ts';

/** Looks at the folder itself, links followed: it must be one, and not the home or above it. */
export function refuseUnfitWorkspace(folder: string, { home, passwdHome }: Homes, where: string): void {
  const kind = kindOf(folder);
  if (kind === 'forbidden')
    throw unfit(`${folder} cannot be the workspace: it may not be entered`, where, 'check its owner and mode');
  if (kind === 'absent')
    throw unfit(`there is no folder ${folder} to be the workspace`, where, modeHint(folder) ?? 'make it first');
  if (kind === 'other')
    throw unfit(`${folder} cannot be the workspace: it is not a folder`, where, 'give the folder it is in');
  const problem = workspaceProblem(realOf(folder), [home, passwdHome].map(realOf)) ?? workspaceProblem(folder, [home]);
  if (problem !== undefined) throw unfit(problem, where, 'give a folder in it, or --write for single places');
}

function unfit(message: string, where: string, hint: string): CordonError {
  return new CordonError('policy', message, { where, hint });
}

/** `--workspace asde` was hardly meant as a folder. */
function modeHint(folder: string): string | undefined {
  const near = nearest(folder.slice(folder.lastIndexOf('/') + 1), WORKSPACE_MODES);
  return near === undefined ? undefined : `did you mean ${near}?`;
}

function kindOf(path: string): 'absent' | 'forbidden' | 'folder' | 'other' {
  const presence = presenceOf(path);
  if (presence !== 'there') return presence;
  return statSync(path).isDirectory() ? 'folder' : 'other';
}

function realOf<Path extends string | undefined>(path: Path): Path | string {
  try {
    return path === undefined ? path : realpathSync(path);
  } catch {
    return path;
  }
}
