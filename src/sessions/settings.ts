import { join } from 'node:path';
import { CordonError } from '../host/errors.ts';
import { type Folders, foldersOf, homesOf, isWithin } from '../host/folders.ts';
import { currentEnvironment, ParentEnv } from '../host/parent-env.ts';
import { engineOf } from '../launch/container/engine.ts';
import { unfitFor } from '../launch/container/unfit.ts';
import type { Pods } from '../launch/pods/pods.ts';
import { INSIDE } from '../plan/places/index.ts';
import { containerTarget, type ImageTarget } from '../policy/container-target.ts';
import { NETWORK_OFF } from '../policy/network/rules.ts';
import { DEFAULT_POLICY, type FilesystemPolicy, type Policy } from '../policy/policy.ts';
import { loadPolicy } from '../policy/profile/load-policy.ts';
import { checkUserName } from '../secrets/sandboxed/user-name.ts';
import { type Limits, mergeLimits } from './limits.ts';
import { findSkills } from './skills/find.ts';
import type { Log, SessionOptions, Skill } from './types.ts';
import { type KnownFolder, knownFolder, openWorkspace } from './workspace.ts';

export type KnownFolders = { readonly [Name in keyof Folders]: string };

/** All that is known of a session before its secrets are read. */
export interface Settings {
  readonly user: string;
  readonly env: ParentEnv;
  readonly folders: KnownFolders;
  /** Undefined where it is in a pod. */
  readonly workspace: KnownFolder | undefined;
  readonly profile: Policy;
  readonly filesystem: FilesystemPolicy;
  readonly limits: Limits;
  readonly skills: readonly Skill[];
  readonly skillFolders: readonly KnownFolder[];
  readonly log: Log;
  /** The image whose containers calls run in, when not on this machine. */
  readonly target: ImageTarget | undefined;
  /** Where calls run when each user has a pod. */
  readonly pods: Pods | undefined;
}

export async function readSettings(options: SessionOptions, pods: Pods | undefined): Promise<Settings> {
  const user = checkUserName(options.user);
  const env = environmentOf(options.env);
  const folders = requireFolders(options.folders ?? foldersOf(env));
  const homes = homesAt(env);
  const workspace = pods === undefined ? openWorkspace(options.workspace, { folders, homes }) : undefined;
  const { profile, limits, skills, target } = await readShared(options, folders, { env, home: homes[0] });
  if (pods !== undefined) refuseUnfit(profile, 'pod');
  const filesystem = filesystemOf(profile, workspace?.path ?? INSIDE.workspace);
  const skillFolders = skills.map(({ folder }) => knownFolder(folder, 'skill'));
  const log = options.log ?? (() => undefined);
  return { user, env, folders, workspace, profile, filesystem, limits, skills, skillFolders, log, target, pods };
}

const homesAt = (env: ParentEnv) =>
  Object.values(homesOf(env)).filter((home) => home !== undefined && home !== '/') as string[];

/** What sessions of one service have in common. */
async function readShared(options: SharedOptions, folders: Folders, { env, home }: Asking) {
  const profile = await profileOf(options.profile, folders, home);
  const target = await targetOf(options.in, profile, env);
  const limits = mergeLimits(profile.session?.limits ?? {}, options.limits ?? {});
  return { profile, limits, skills: await findSkills(options.skills ?? []), target };
}

interface Asking {
  readonly env: ParentEnv;
  readonly home: string | undefined;
}

/** That there is no such engine, or that a container can't be what the profile says, is known before the first call. */
async function targetOf(given: string | undefined, profile: Policy, env: ParentEnv): Promise<ImageTarget | undefined> {
  if (given === undefined) return undefined;
  const target = containerTarget(given, 'in of a session');
  if (target.kind === 'container')
    throw new CordonError('session', 'a session has a container of its own for each call, not one that runs already', {
      where: given,
      hint: 'name an image: podman:IMAGE or docker:IMAGE',
    });
  refuseUnfit(profile, 'image');
  await engineOf(target, env);
  return target;
}

function refuseUnfit(profile: Policy, where: 'image' | 'pod'): void {
  const { filesystem, session } = profile;
  const { mode } = filesystem.workspace;
  const policy: Policy = {
    ...profile,
    network: session?.network ?? NETWORK_OFF,
    filesystem: { ...filesystem, preset: 'workspace', workspace: { mode } },
  };
  const unfit = unfitFor(policy, where);
  if (unfit !== undefined)
    throw new CordonError('policy', unfit.message, {
      where: profile.origin,
      hint: 'leave it out of the profile, or the container out of the session',
    });
}

type SharedOptions = Omit<SessionOptions, 'user' | 'workspace'>;

/** Whether sessions can be opened with these, before anyone asks for one. Gives back their skills. */
export async function checkShared(options: SharedOptions): Promise<readonly Skill[]> {
  const env = environmentOf(options.env);
  const folders = requireFolders(options.folders ?? foldersOf(env));
  return (await readShared(options, folders, { env, home: homesAt(env)[0] })).skills;
}

function environmentOf(given: SessionOptions['env']): ParentEnv {
  return given instanceof ParentEnv ? given : ParentEnv.fromRecord(given ?? currentEnvironment());
}

function requireFolders({ config, state, bin }: Folders): KnownFolders {
  if (config !== undefined && state !== undefined) return { config, state, bin: bin ?? join(config, 'bin') };
  throw new CordonError('session', "a session needs Cordon's folders, and no home is known", {
    hint: 'set CORDON_HOME or HOME',
  });
}

async function profileOf(
  given: SessionOptions['profile'],
  folders: Folders,
  home: string | undefined,
): Promise<Policy> {
  const none: Policy = { ...DEFAULT_POLICY, origin: 'session' };
  return typeof given === 'string' ? loadPolicy({ profile: given, folders, home }) : (given ?? none);
}

/** What a profile asks for by name and a session cannot be is an error. */
function filesystemOf({ filesystem, isolation, origin }: Policy, workspace: string): Policy['filesystem'] {
  const { preset, explicit, write, read, hide, expose } = filesystem;
  if (isolation === 'filter') throw contradiction(origin, 'isolation filter');
  if (explicit && preset === 'all') throw contradiction(origin, 'filesystem preset all');
  if ([...write, ...read, ...expose].includes('/')) throw contradiction(origin, 'the whole of /');
  const inside = [...read, ...hide].find((path) => ownFolders(workspace).some((folder) => isWithin(path, folder)));
  if (inside !== undefined) throw contradiction(origin, `${inside}, which is in the workspace, hidden or read-only`);
  return filesystem;
}

const ownFolders = (workspace: string) => [workspace, INSIDE.workspace, INSIDE.skills];

function contradiction(origin: string, what: string): CordonError {
  return new CordonError(
    'policy',
    `a session cannot have ${what}: it has the system read-only, and its workspace to write to`,
    {
      where: origin,
      hint: 'leave it out, and list the paths that are needed',
    },
  );
}
