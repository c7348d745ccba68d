import { accessSync, constants, lstatSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { bytesOfText } from '../../host/bytes.ts';
import { CordonError } from '../../host/errors.ts';
import { realPathOf } from '../../host/files.ts';
import { homesOf, isWithin } from '../../host/folders.ts';
import type { ParentEnv } from '../../host/parent-env.ts';
import type { ContainerTarget } from '../../policy/container-target.ts';
import { NETWORK_ON } from '../../policy/network/rules.ts';
import type { FilesystemPolicy, Policy } from '../../policy/policy.ts';
import { lookAt } from '../look.ts';
import type { Bind } from './arguments.ts';
import type { InsidePlaces, InsideRequest } from './inside.ts';

/** Of the host there is the workspace, and what the policy names. A running container has what it was started with. */
export async function placesForContainer(
  request: InsideRequest & { readonly target: ContainerTarget },
): Promise<InsidePlaces> {
  const { filesystem } = request.policy;
  if (request.target.kind === 'container') return { isOwn: false, binds: [], workspace: undefined };
  const named: Bind[] = [
    ...filesystem.read.map((path) => ({ path, writable: false })),
    ...[...filesystem.write, ...filesystem.expose].map((path) => ({ path, writable: true })),
  ].filter(({ path }) => lstatSync(path, { throwIfNoEntry: false }) !== undefined);
  if (named.some(({ path }) => path === '/'))
    throw new CordonError('policy', 'the whole of / cannot be shown in a container', {
      where: 'policy',
      hint: 'name the folders that are needed',
    });
  refuseLinks(filesystem, [...named, ...(request.mounts ?? [])], request.env);
  const mounts = request.mounts ?? [];
  const mounted = mounts.find(({ isWorkspace }) => isWorkspace)?.target;
  const workspace = mounted ?? (await workspaceOf(request));
  const own: Bind[] =
    workspace === undefined || mounted !== undefined
      ? []
      : [{ path: workspace, writable: filesystem.workspace.mode === 'real' }];
  const all = new Map([...named, ...own].map((bind) => [bind.path, bind]));
  return { isOwn: true, binds: [...all.values(), ...mounts], workspace };
}

function refuseLinks({ workspace: { folder } }: FilesystemPolicy, named: readonly Bind[], env: ParentEnv): void {
  const own = folder === undefined ? [] : [folder];
  const written = named.filter(({ writable }) => writable).map(({ path }) => path);
  for (const path of [...own, ...named.map((bind) => bind.path)]) refuseLink(path, env, [...own, ...written]);
}

/** The launcher finds it, so it is asked: the folder whose mount holds the working folder inside. */
async function workspaceOf({ policy, env, workdir }: InsideRequest): Promise<string | undefined> {
  const { workspace, preset } = policy.filesystem;
  if (workspace.folder !== undefined) return realPathOf(workspace.folder);
  if (preset === 'minimal') return undefined;
  const plain: Policy = { ...policy, network: NETWORK_ON, isolation: 'auto' };
  const argv = [bytesOfText('/bin/sh')] as const;
  const request = { policy: plain, env, workdir, argv, withoutCopies: true };
  const { found, isolation } = await lookAt(request, [bytesOfText(workdir)]);
  const [here] = found;
  if (isolation === 'filter' || here?.mount === undefined || here.mount === '/' || here.filesystem === 'overlay')
    return undefined;
  return here.mount;
}

/** Folders in which commands of this user write, so that every link in them may be one of theirs. */
const SHARED = ['/tmp', '/var/tmp', '/dev/shm', '/run/user'];

/**
 * An engine follows every link in what it is told to show. The launcher follows none that a command could have made when it builds a
 * root on this machine (native/src/sources.c); what a container shows is held to the same.
 */
function refuseLink(path: string, env: ParentEnv, written: readonly string[]): void {
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
