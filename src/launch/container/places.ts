import { lstatSync } from 'node:fs';
import { bytesOfText } from '../../host/bytes.ts';
import { CordonError } from '../../host/errors.ts';
import { realPathOf } from '../../host/files.ts';
import type { ParentEnv } from '../../host/parent-env.ts';
import type { ContainerTarget } from '../../policy/container-target.ts';
import { NETWORK_ON } from '../../policy/network/rules.ts';
import type { FilesystemPolicy, Policy } from '../../policy/policy.ts';
import { lookAt } from '../look.ts';
import type { Bind } from './arguments.ts';
import type { InsidePlaces, InsideRequest } from './inside.ts';
import { refuseLink } from './links.ts';

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
  const { found, isolation } = await lookAt({ policy: plain, env, workdir, argv }, [bytesOfText(workdir)]);
  const [here] = found;
  if (isolation === 'filter' || here?.mount === undefined || here.mount === '/' || here.filesystem === 'overlay')
    return undefined;
  return here.mount;
}
