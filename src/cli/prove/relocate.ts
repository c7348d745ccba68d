import { join } from 'node:path';
import type { Scene } from '../../../prove/scene.ts';
import { isWithin } from '../../host/folders.ts';
import type { FilesystemPolicy } from '../../policy/policy.ts';

/** Where the user's own things are, which a policy speaks of. */
export interface Whereabouts {
  readonly homes: readonly string[];
  readonly workdir: string;
}

/** What a policy says about the user's home and working folder, said about those of the scene: `~/.ssh` is there too. */
export function relocated(policy: FilesystemPolicy, from: Whereabouts, scene: Scene): FilesystemPolicy {
  const move = (paths: readonly string[]) => paths.map((path) => relocate(path, from, scene));
  const { folder } = policy.workspace;
  return {
    ...policy,
    write: move(policy.write),
    read: move(policy.read),
    hide: move(policy.hide),
    expose: move(policy.expose),
    show: move(policy.show),
    said: policy.said && {
      plain: move(policy.said.plain),
      projects: policy.said.projects.map((one) => ({ ...one, folder: relocate(one.folder, from, scene) })),
    },
    workspace: { ...policy.workspace, ...(folder === undefined ? {} : { folder: relocate(folder, from, scene) }) },
  };
}

export function relocate(path: string, { homes, workdir }: Whereabouts, { home, work }: Scene): string {
  const isAboveHome = [...homes, '/'].some((one) => isWithin(one, workdir));
  if (!isAboveHome && isWithin(path, workdir)) return join(work, path.slice(workdir.length));
  const own = homes.find((one) => one !== '/' && isWithin(path, one));
  return own === undefined ? path : join(home, path.slice(own.length));
}

/** As the user writes it. */
export function shortened(path: string, { homes }: Whereabouts): string {
  const own = homes.find((one) => one !== '/' && isWithin(path, one));
  return own === undefined ? path : `~${path.slice(own.length)}`;
}
