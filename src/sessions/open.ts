import { existsSync } from 'node:fs';
import { CordonError } from '../host/errors.ts';
import { homesOf } from '../host/folders.ts';
import { surveyMachine } from '../launch/machine.ts';
import { outsideOperations } from '../launch/outside.ts';
import { ownOf } from '../launch/own.ts';
import type { Pods } from '../launch/pods/pods.ts';
import { trustedPlaces } from '../launch/prepare.ts';
import { factsOf, type Operation, sessionPlaces } from '../plan/places/index.ts';
import type { Policy } from '../policy/policy.ts';
import { Redaction } from '../redact/redaction.ts';
import { loadUserSecrets } from '../secrets/sandboxed/load.ts';
import { sessionEnvironment } from './environment.ts';
import type { Limits } from './limits.ts';
import { logOpened, logSecrets } from './log.ts';
import { type LauncherPool, poolHere } from './pool.ts';
import { newSessionId, OpenSession } from './session.ts';
import { readSettings, type Settings } from './settings.ts';
import { SessionFolder } from './state.ts';
import type { Log, Session, SessionOptions } from './types.ts';

/** A session of one user: configuration and folders, all checked now. Secrets are read fresh, and kept by this session alone. */
export const openSession = (options: SessionOptions): Promise<Session> => open(options, undefined);

/** The same with calls in the pod of the user, and a workspace there. */
export const openSessionInPod = (options: Omit<SessionOptions, 'workspace' | 'in'>, pods: Pods): Promise<Session> =>
  open({ ...options, workspace: '' }, pods);

async function open(options: SessionOptions, pods: Pods | undefined): Promise<Session> {
  const settings = await readSettings(options, pods);
  const { user, env, folders, profile, log } = settings;
  const isInside = settings.target !== undefined || pods !== undefined;
  const secrets = loadUserSecrets(folders.config, user);
  logSecrets(log, user, secrets);
  const environment = await sessionEnvironment({
    ...{ profile, env, folders },
    variables: secrets.variables,
    workspace: settings.workspace?.path,
    inImage: isInside,
  });
  const hidden = [...environment.secrets, ...(environment.broker?.values ?? [])];
  const redaction = profile.redact && hidden.length > 0 ? new Redaction(hidden) : undefined;
  const pool = isInside ? undefined : poolFor(options, profile, log);
  const id = options.id ?? newSessionId();
  const places = [
    ...(settings.workspace === undefined ? [] : placesFor(settings, settings.workspace.path)),
    ...trustedPlaces(environment.broker),
    ...outsideOperations({
      policy: environment.policy,
      env,
      state: folders.state,
      subject: 'session',
      broker: environment.broker?.settings,
      ssh: environment.broker?.ssh,
    }),
  ];
  const folder = await SessionFolder.open(folders.state, id);
  for (const note of [...profile.warnings, ...absentPaths(settings)]) log('info', note);
  logOpened(log, id, environment.secrets.size);
  return new OpenSession({ ...settings, id, environment, redaction, pool, folder, places, state: folders.state });
}

function placesFor({ env, folders, profile, filesystem, limits, skills }: Settings, workspace: string): Operation[] {
  const { places: own } = ownOf({ homes: homesOf(env), folders, policyFiles: profile.files, how: 'keep' });
  const facts = { ...factsOf(env), own, aside: undefined, links: surveyMachine(env).links };
  return sessionPlaces(filesystem, facts, {
    workspace,
    skills: new Map(skills.map((skill) => [skill.name, skill.folder])),
    temporary: limits.temporary,
  });
}

function absentPaths({ filesystem: { read, write, hide, expose } }: Settings): string[] {
  return [...new Set([...read, ...write, ...hide, ...expose])]
    .filter((path) => !existsSync(path))
    .map((path) => `${path} is not there`);
}

/** The launcher enters a control group; where Node stands in for it, or there are none to be made, each process is limited by itself. */
function poolFor({ limits }: SessionOptions, { session }: Policy, log: Log): LauncherPool | undefined {
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
