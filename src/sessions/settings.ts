import { join } from 'node:path';
import { CordonError } from '../host/errors.ts';
import { type Folders, foldersOf, homesOf } from '../host/folders.ts';
import { ParentEnv } from '../host/parent-env.ts';
import { currentEnvironment } from '../host/process-env.ts';
import { INSIDE } from '../plan/places/index.ts';
import { DEFAULT_POLICY, type FilesystemPolicy, type Policy } from '../policy/policy.ts';
import { loadPolicy } from '../policy/profile/load-policy.ts';
import { checkUserName } from '../secrets/sandboxed/user-name.ts';
import { type Limits, mergeLimits } from './limits.ts';
import { findSkills } from './skills/find.ts';
import type { Log, SessionOptions, Skill } from './types.ts';
import { isIn, type KnownFolder, knownFolder, openWorkspace } from './workspace.ts';

type KnownFolders = { readonly [Name in keyof Folders]: string };

/** All that is known of a session before its secrets are read. */
export interface Settings {
  readonly user: string;
  readonly env: ParentEnv;
  readonly folders: KnownFolders;
  readonly workspace: KnownFolder;
  readonly profile: Policy;
  readonly filesystem: FilesystemPolicy;
  readonly limits: Limits;
  readonly skills: readonly Skill[];
  readonly skillFolders: readonly KnownFolder[];
  readonly log: Log;
}

export async function readSettings(options: SessionOptions): Promise<Settings> {
  const user = checkUserName(options.user);
  const env = environmentOf(options.env);
  const folders = requireFolders(options.folders ?? foldersOf(env));
  const homes = homesAt(env);
  const workspace = openWorkspace(options.workspace, { folders, homes });
  const { profile, limits, skills } = await readShared(options, folders, homes[0]);
  const filesystem = filesystemOf(profile, workspace.path);
  const skillFolders = skills.map(({ folder }) => knownFolder(folder, 'skill'));
  const log = options.log ?? (() => undefined);
  return { user, env, folders, workspace, profile, filesystem, limits, skills, skillFolders, log };
}

const homesAt = (env: ParentEnv) =>
  Object.values(homesOf(env)).filter((home) => home !== undefined && home !== '/') as string[];

/** What sessions of one service have in common. */
async function readShared(options: SharedOptions, folders: Folders, home: string | undefined) {
  const profile = await profileOf(options.profile, folders, home);
  const limits = mergeLimits(profile.session?.limits ?? {}, options.limits ?? {});
  return { profile, limits, skills: await findSkills(options.skills ?? []) };
}

type SharedOptions = Omit<SessionOptions, 'user' | 'workspace'>;

/** Whether sessions can be opened with these, before anyone asks for one. Gives back their skills. */
export async function checkShared(options: SharedOptions): Promise<readonly Skill[]> {
  const env = environmentOf(options.env);
  const folders = requireFolders(options.folders ?? foldersOf(env));
  return (await readShared(options, folders, homesAt(env)[0])).skills;
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
  const inside = [...read, ...hide].find((path) => ownFolders(workspace).some((folder) => isIn(path, folder)));
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
