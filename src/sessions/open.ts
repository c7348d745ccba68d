import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CordonError } from '../host/errors.ts';
import { type Folders, foldersOf, homesOf } from '../host/folders.ts';
import { ParentEnv } from '../host/parent-env.ts';
import { currentEnvironment } from '../host/process-env.ts';
import { Redaction } from '../launch/redact/redaction.ts';
import { type FsPlan, factsOf, INSIDE, sessionFilesystem } from '../plan/filesystem/index.ts';
import { DEFAULT_POLICY, type FilesystemPolicy, type Policy } from '../policy/policy.ts';
import { loadPolicy } from '../policy/profile/load-policy.ts';
import { loadUserSecrets } from '../secrets/sandboxed/load.ts';
import { checkUserName } from '../secrets/sandboxed/user-name.ts';
import { sessionEnvironment } from './environment.ts';
import { type Limits, mergeLimits } from './limits.ts';
import { logOpened, logSecrets } from './log.ts';
import { type Pool, poolHere } from './pool.ts';
import { newSessionId, OpenSession } from './session.ts';
import { findSkills } from './skills/find.ts';
import { SessionFolder } from './state.ts';
import type { Log, Session, SessionOptions, Skill } from './types.ts';
import { isIn, openWorkspace, type Workspace } from './workspace.ts';

type KnownFolders = { readonly [Name in keyof Folders]: string };

/** A session of one user: configuration and folders, all checked now. Secrets are read fresh, and kept by this session alone (F1). */
export async function openSession(options: SessionOptions): Promise<Session> {
  const settings = await readSettings(options);
  const { user, env, folders, profile, log } = settings;
  const secrets = loadUserSecrets(folders.config, user);
  logSecrets(log, user, secrets);
  const environment = await sessionEnvironment({ profile, variables: secrets.variables, env, folders });
  const redaction = profile.redact && environment.secrets.size > 0 ? new Redaction(environment.secrets) : undefined;
  const pool = poolFor(options, profile, log);
  const id = options.id ?? newSessionId();
  const folder = new SessionFolder(folders.state, id);
  const filesystem = layOut(settings, folder);
  for (const note of [...profile.warnings, ...filesystem.notes]) log('info', note);
  logOpened(log, id, environment.secrets.size);
  return new OpenSession({ ...settings, id, environment, redaction, pool, folder, filesystem, state: folders.state });
}

interface Settings {
  readonly user: string;
  readonly env: ParentEnv;
  readonly folders: KnownFolders;
  readonly workspace: Workspace;
  readonly profile: Policy;
  readonly filesystem: FilesystemPolicy;
  readonly limits: Limits;
  readonly skills: readonly Skill[];
  readonly log: Log;
}

async function readSettings(options: SessionOptions): Promise<Settings> {
  const user = checkUserName(options.user);
  const env = environmentOf(options.env);
  const folders = requireFolders(options.folders ?? foldersOf(env));
  const homes = Object.values(homesOf(env)).filter((home) => home !== undefined && home !== '/') as string[];
  const workspace = openWorkspace(options.workspace, { folders, homes });
  const profile = await profileOf(options.profile, folders, homes[0]);
  const filesystem = filesystemOf(profile, workspace.path);
  const limits = mergeLimits(profile.session?.limits ?? {}, options.limits ?? {});
  const skills = await findSkills(options.skills ?? []);
  return { user, env, folders, workspace, profile, filesystem, limits, skills, log: options.log ?? (() => undefined) };
}

/** A session that can't be opened leaves no folder either. */
function layOut(
  { env, folders, workspace, profile, filesystem, limits, skills }: Settings,
  own: SessionFolder,
): FsPlan {
  try {
    return sessionFilesystem(
      filesystem,
      { ...factsOf(env, workspace.path), folders },
      {
        workspace: workspace.path,
        skills: new Map(skills.map((skill) => [skill.name, skill.folder])),
        temporary: limits.temporary,
        hosts: hostsFile(profile, own),
      },
    );
  } catch (error) {
    own.remove();
    throw error;
  }
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

/** A9: what a profile asks for by name and a session cannot be is an error. */
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

/** The launcher enters a control group; where Node stands in for it, or there are none to be made, each process is limited by itself. */
function poolFor({ limits }: SessionOptions, { session }: Policy, log: Log): Pool | undefined {
  const pool = poolHere();
  if (pool?.cgroups === undefined && process.getuid?.() === 0) rootWithoutGroups(limits, session?.limits, log);
  return pool;
}

const ROOT_UNLIMITED = 'the number of processes cannot be limited: this is root, and control groups cannot be made';

/** The kernel exempts root from the number of processes. */
function rootWithoutGroups(own: Partial<Limits> | undefined, profile: Partial<Limits> | undefined, log: Log): void {
  if (own?.processes !== undefined || profile?.processes !== undefined)
    throw new CordonError('session', ROOT_UNLIMITED, {
      hint: 'run as an ordinary user, or make control groups writable; cordon doctor says more',
    });
  log('info', `limits: ${ROOT_UNLIMITED}`);
}

/** A name that leads nowhere: hygiene against what is called by name, no wall. */
function hostsFile({ session }: Policy, folder: SessionFolder): string | undefined {
  const blocked = session?.blockedHosts ?? [];
  if (blocked.length === 0) return undefined;
  const path = join(folder.path, 'hosts');
  const lines = [
    '127.0.0.1 localhost',
    '::1 localhost',
    ...blocked.flatMap((name) => [`0.0.0.0 ${name}`, `:: ${name}`]),
  ];
  writeFileSync(path, `${lines.join('\n')}\n`, { mode: 0o644 });
  return path;
}
