import { lstatSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { namesIn, textIn } from '../host/files.ts';

/** What comes back in the next launch of one policy in one workspace. */
export interface KeptLayer {
  readonly folder: string;
  readonly policy: string;
  /** Undefined: for launches that have no workspace. */
  readonly workspace: string | undefined;
  readonly used: Date;
  readonly bytes: number;
}

const VERSION = 'kept-1';
const isLayer = (name: string) => name.startsWith('d-');

/** As the launcher lays them: FOLDER/kept-1/POLICY/+home/+you/+project/d-… */
export function keptLayers(layers: string | undefined): KeptLayer[] {
  if (layers === undefined) return [];
  const top = join(layers, VERSION);
  return namesIn(top).flatMap((policy) => [
    ...keptIn(join(top, policy), policy, ''),
    ...keptAt(join(top, policy, 'nowhere'), policy, undefined),
  ]);
}

function keptIn(folder: string, policy: string, workspace: string): KeptLayer[] {
  const below = namesIn(folder).filter((name) => name.startsWith('+'));
  return [
    ...keptAt(folder, policy, workspace),
    ...below.flatMap((name) => keptIn(join(folder, name), policy, `${workspace}/${name.slice(1)}`)),
  ];
}

function keptAt(folder: string, policy: string, workspace: string | undefined): KeptLayer[] {
  if (!namesIn(folder).some(isLayer)) return [];
  return [
    { folder, policy, workspace, used: lstatSync(folder).mtime, bytes: Number(textIn(join(folder, 'size'))) || 0 },
  ];
}

/** Out of the way in one step, so that the next launch finds all of it or nothing; a command that runs now may miss its cache. */
export function dropKept({ folder }: KeptLayer): void {
  for (const name of namesIn(folder).filter(isLayer)) {
    const gone = join(folder, `.part-${name}`);
    try {
      renameSync(join(folder, name), gone);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') continue;
      throw error;
    }
    rmSync(gone, { recursive: true, force: true });
  }
  rmSync(join(folder, 'size'), { force: true });
}

/** Kept by versions of Cordon that wrote it otherwise: nothing reads it any more. */
export function dropOtherVersions(layers: string | undefined): void {
  if (layers === undefined) return;
  for (const name of namesIn(layers).filter((one) => /^kept-\d+$/.test(one) && one !== VERSION))
    rmSync(join(layers, name), { recursive: true, force: true });
}
