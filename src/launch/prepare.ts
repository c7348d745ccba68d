import { statfsSync } from 'node:fs';
import { type Decision, decide } from '../decide/decide.ts';
import { type Bytes, showBytes } from '../host/bytes.ts';
import { ensureFolder, presenceOf } from '../host/files.ts';
import { findCommand, foldersOf, homesOf } from '../host/folders.ts';
import type { ParentEnv } from '../host/parent-env.ts';
import { isFirstTime } from '../host/session.ts';
import {
  type Copies,
  factsOf,
  NO_COPIES,
  type Operation,
  openFacts,
  type PlaceFacts,
  pathsOf,
  placesOf,
} from '../plan/places/index.ts';
import { type LaunchPlan, type Machine, plan, type Records } from '../plan/plan.ts';
import type { StartupNote } from '../plan/startup-file.ts';
import type { Keeping } from '../policy/config/changes.ts';
import { withProxyVariables } from '../policy/network/rules.ts';
import type { FilesystemPolicy, Policy } from '../policy/policy.ts';
import { AGENT_LOG_INS } from '../policy/profiles/log-ins.ts';
import { seal } from '../seal/seal.ts';
import type { Secret } from '../secrets/secret.ts';
import { auditFile, auditHead, newLaunchId } from './audit.ts';
import type { LaunchBroker, Where } from './brokered.ts';
import { settingsCopies } from './copies.ts';
import { type LookedThrough, recalled } from './looked-through.ts';
import { surveyMachine } from './machine.ts';
import { outsideOperations } from './outside.ts';
import { changesPlace, clearFirstRelease, mayBeWorkspace, ownOf } from './own.ts';
import { startupCopies, startupPlaces, startupPolicy } from './startup-files.ts';
import { Witness } from './witness.ts';

export interface LaunchRequest {
  readonly policy: Policy;
  readonly env: ParentEnv;
  readonly argv: readonly [Bytes, ...Bytes[]];
  readonly workdir: string;
  readonly credentials?: ReadonlyMap<Bytes, Secret>;
  /** What is brokered of them, and how. */
  readonly broker?: LaunchBroker | undefined;
  /** Write an audit record. */
  readonly record: boolean;
  /** What is kept of what the command puts aside, where cordon.toml says so. */
  readonly keeping?: Keeping | undefined;
  /** Nothing will be started, so nothing is made in the state folder either. */
  readonly rehearsal?: boolean;
  /** Nothing is started: what the command would find at these paths is told instead. */
  readonly look?: readonly Bytes[];
  /** Only where folders are is asked: nothing of what stands in for a file is made. */
  readonly withoutCopies?: boolean;
  /** Files of the command's own, in a place that is its own too. */
  readonly files?: Copies['copies'];
  /** Leave out what is only good to know. */
  readonly quiet?: boolean;
  /** What it says on standard error comes to us first, and we show it on a terminal. */
  readonly onTerminal?: boolean | undefined;
  /** An empty file, for the list of all that is tried. */
  readonly trace?: string | undefined;
  /** HOME is made for this launch alone: the home that the system knows of is not looked at, and nothing is kept. */
  readonly throwawayHome?: boolean;
  /** A question to a program, such as its version: what it writes is of no use to anybody. */
  readonly forgets?: boolean;
}

/** A launch that is ready to be started, and everything that was decided on the way. */
export interface Prepared {
  readonly decisions: readonly Decision[];
  readonly plan: LaunchPlan;
  /** What start-up files of shells lose. */
  readonly startup: readonly StartupNote[];
  /** Those files, all that were read. */
  readonly startupFiles: readonly string[];
  /** What the user should know before the start, said on stderr. */
  readonly warnings: readonly string[];
}

/** decide → seal → plan for one command line. */
export function prepare(request: LaunchRequest): Prepared {
  const { env, argv, workdir } = request;
  const policy = withProxyVariables(request.policy);
  const decisions = decide(policy, env);
  const path = Witness.overlook(() => findCommand(argv[0], env));
  const sealed = seal(decisions, {
    policy,
    env,
    ...(request.credentials === undefined ? {} : { credentials: request.credentials }),
    ...(request.broker === undefined ? {} : { placeholders: request.broker.placeholders }),
  });
  const state = stateFolder(request);
  const machine = surveyMachine(env);
  const facts = factsFor(request);
  const { startup, settings } =
    request.withoutCopies === true
      ? UNCOPIED
      : lookedThrough({ ...request, policy }, openFacts(facts), decisions, state);
  const launchPlan = plan({
    name: showBytes(argv[0]),
    command: { path, argv: [...argv, ...(request.look ?? [])] },
    look: request.look !== undefined,
    quiet: request.quiet,
    summary: policy.base.preset === 'agent',
    onTerminal: request.onTerminal,
    trace: request.trace,
    env: sealed,
    workdir,
    policy,
    places:
      policy.isolation === 'filter'
        ? []
        : [
            ...placesFor(request, facts, { startup, settings }, machine),
            ...trustedPlaces(request.broker),
            ...outsideFor(request, state),
          ],
    machine,
    records: state === undefined ? undefined : recordsFor(request, state, decisions, path),
  });
  return {
    decisions,
    plan: launchPlan,
    startup: startup.notes,
    startupFiles: startup.read,
    warnings: [
      ...(state === undefined ? stateWarning(request) : []),
      ...startup.notes
        .filter(({ hidden, file }) => hidden && file.startsWith('~'))
        .map(({ file, line, saying }) => `${file}:${line} ${saying}`),
      ...settings.notes,
      ...absentPaths(policy.filesystem, facts.homes),
    ],
  };
}

/** A rehearsal writes nothing down, so it has no place for it either. */
function outsideFor({ policy, env, argv, broker }: LaunchRequest, state: string | undefined): Operation[] {
  return outsideOperations({
    policy,
    env,
    state,
    subject: showBytes(argv[0]),
    broker: broker?.settings,
    ssh: broker?.ssh,
  });
}

/** Of the user's own home nothing is read and nothing shown where another was made for this run; what is hidden in a home stays hidden in both. */
function factsFor({ env, throwawayHome }: Pick<LaunchRequest, 'env' | 'throwawayHome'>): PlaceFacts {
  const facts = factsOf(env);
  return throwawayHome === true ? { ...facts, closed: facts.homes.slice(1) } : facts;
}

const UNCOPIED: LookedThrough = {
  startup: { files: NO_COPIES, notes: [], read: [], met: [] },
  settings: { ...NO_COPIES, notes: [] },
};

/**
 * What stands in for files that would bring back what the policy drops, and for settings with log-ins in them. `all` leaves files as they
 * are. Most files are as they were at the last launch, wherever that was: where the front keeps plans, this is kept too.
 */
function lookedThrough(
  { policy, env, workdir, rehearsal, throwawayHome }: LaunchRequest,
  facts: PlaceFacts,
  decisions: readonly Decision[],
  state: string | undefined,
): LookedThrough {
  const { preset } = policy.filesystem;
  const places = startupPlaces(facts, workdir);
  const asked = preset === 'all' || preset === 'workspace' ? undefined : startupPolicy(policy, env, decisions);
  const look = () => {
    const startup = startupCopies(places, asked);
    return { startup, settings: settingsCopies(facts, policy.isolation === 'filter' ? 'all' : preset, startup.read) };
  };
  const witness = rehearsal === true || throwawayHome === true ? undefined : Witness.awake;
  if (witness === undefined || state === undefined || asked === undefined) return look();
  return recalled({ witness, state, policy, facts, places, asked, look });
}

function placesFor(
  request: LaunchRequest,
  facts: PlaceFacts,
  { startup, settings }: LookedThrough,
  { links }: Machine,
): Operation[] {
  const { policy, env, rehearsal, throwawayHome, workdir } = request;
  const quiet = rehearsal === true || throwawayHome === true;
  const folders = foldersOf(env);
  if (!quiet) clearFirstRelease(folders.state);
  const { preset, write, expose, workspace } = policy.filesystem;
  const worked = workspace.mode === 'real' ? mayBeWorkspace(workspace.folder ?? workdir, facts.homes) : [];
  const {
    places: own,
    aside,
    layers,
  } = ownOf({
    homes: homesOf(env),
    folders,
    policyFiles: policy.files,
    how: quiet ? 'look' : 'keep',
    writable: preset === 'all' ? ['/'] : [...write, ...expose, ...worked],
  });
  const files = {
    copies: [...startup.files.copies, ...settings.copies, ...(request.files ?? []), ...logInCopies(request.broker)],
    absent: [...startup.files.absent, ...settings.absent],
  };
  const changes =
    throwawayHome === true || request.forgets === true || request.look !== undefined
      ? undefined
      : changesPlace(folders, layers, policy, request.keeping);
  const places = placesOf(policy.filesystem, { ...facts, own, aside, changes, links, use: { as: 'run', files } });
  return request.look === undefined ? places : places.filter(({ kind }) => kind !== 'mention');
}

/** A path that someone wrote down and that isn't there is more often a mistake than not. */
function absentPaths({ read, write, hide, expose }: FilesystemPolicy, homes: readonly string[]): string[] {
  const logIns = Object.values(AGENT_LOG_INS).flat();
  const isLogIn = (path: string) => homes.some((home) => logIns.includes(path.replace(`${home}/`, '~/')));
  return [...new Set([...read, ...write, ...hide, ...expose])]
    .filter((path) => !isLogIn(path))
    .map((path) => [path, presenceOf(path)] as const)
    .filter(([, presence]) => presence !== 'there')
    .map(([path, presence]) =>
      presence === 'absent'
        ? `${path} is not there${write.includes(path) ? `; make it first (mkdir -p), to have it written for real` : ''}`
        : `${path} may not be looked at: a folder above it is closed to you`,
    );
}

/** Everything that lacks a state folder lacks it for this one reason, which is said once. */
function stateWarning({ rehearsal }: LaunchRequest): string[] {
  return rehearsal === true || isFirstTime('state-warned', undefined) ? [UNRECORDED] : [];
}

const UNRECORDED =
  'the state folder cannot be written: launches are not recorded, and what is put aside is not kept; see cordon doctor';

/** Undefined where there is none, none can be made or nothing more fits on the disk, which never stops a launch. */
function stateFolder({ env, rehearsal }: LaunchRequest): string | undefined {
  const { state } = foldersOf(env);
  if (state === undefined || rehearsal === true) return state;
  try {
    ensureFolder(state);
    return statfsSync(state).bavail === 0 ? undefined : state;
  } catch {
    return undefined;
  }
}

function recordsFor(
  { policy, argv, record, throwawayHome }: LaunchRequest,
  state: string,
  decisions: readonly Decision[],
  path: Bytes,
): Records {
  const launch = newLaunchId();
  if (!record || throwawayHome === true) return { launch, stateFolder: state };
  const head = auditHead({ policy, decisions, path, argumentCount: argv.length - 1 });
  return { launch, stateFolder: state, audit: { file: auditFile(state), head } };
}

interface HeldBack {
  readonly policy: Policy;
  readonly credentials: ReadonlyMap<Bytes, Secret>;
  readonly broker?: LaunchBroker | undefined;
}

/** What is brokered is replaced by placeholders; its values go another way. Most launches have nothing of the kind, and load nothing. */
export async function heldBack(
  policy: Policy,
  credentials: ReadonlyMap<Bytes, Secret>,
  env: ParentEnv,
  { rehearsal = false, where = 'here' }: { readonly rehearsal?: boolean; readonly where?: Where } = {},
): Promise<HeldBack> {
  const isHeld = policy.ssh !== undefined || policy.logIns !== undefined;
  if (!isHeld && !policy.credentials.some(({ broker }) => broker !== undefined)) return { policy, credentials };
  const { brokered, remembered } = await import('./brokered.ts');
  const held = brokered(policy, credentials, env, { rehearsal, where });
  return rehearsal ? held : remembered(held, env);
}

/** Where an agent looks for its log-in it finds one with placeholders. */
export const logInCopies = (broker: LaunchBroker | undefined): Copies['copies'] =>
  (broker?.logIns ?? []).flatMap(({ path, text }) => pathsOf([path]).map((at) => ({ path: at, text, hides: true })));

/** Programs look for certificates in the system's bundles, whatever variables say. */
export function trustedPlaces(broker: LaunchBroker | undefined): Operation[] {
  return (broker?.files ?? []).flatMap(({ path, text }) =>
    pathsOf([path]).map((at) => ({ kind: 'data', path: at, text }) as const),
  );
}
