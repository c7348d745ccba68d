import { statfsSync } from 'node:fs';
import { type Decision, decide } from '../decide/decide.ts';
import { type Bytes, showBytes } from '../host/bytes.ts';
import { ensureFolder } from '../host/ensure-folder.ts';
import { foldersOf } from '../host/folders.ts';
import { findCommand } from '../host/lookup.ts';
import type { ParentEnv } from '../host/parent-env.ts';
import { isFirstTime } from '../host/session.ts';
import { factsOf, mountArguments, surveyFilesystem } from '../plan/filesystem/index.ts';
import { type LaunchPlan, plan, type Records } from '../plan/plan.ts';
import { startupPolicy } from '../plan/startup/index.ts';
import type { Policy } from '../policy/policy.ts';
import { seal } from '../seal/seal.ts';
import type { Secret } from '../secrets/secret.ts';
import { auditFile, auditHead } from './audit.ts';
import { surveyMachine } from './machine.ts';

export interface LaunchRequest {
  readonly policy: Policy;
  readonly env: ParentEnv;
  readonly argv: readonly [Bytes, ...Bytes[]];
  readonly workdir: string;
  readonly credentials?: ReadonlyMap<Bytes, Secret>;
  /** Write an audit record. */
  readonly record: boolean;
  /** Nothing will be started, so nothing is made in the state folder either. */
  readonly rehearsal?: boolean;
  /** HOME is a stage: the home that the system knows of is the user's own, and nobody looks at it. */
  readonly staged?: boolean;
}

export interface Prepared {
  readonly decisions: readonly Decision[];
  readonly plan: LaunchPlan;
  /** What the user should know before the start, said on stderr. */
  readonly warnings: readonly string[];
}

/** decide → seal → plan for one command line. */
export function prepare(request: LaunchRequest): Prepared {
  const { policy, env, argv, workdir } = request;
  const decisions = decide(policy, env);
  const path = findCommand(argv[0], env);
  const sealed = seal(decisions, {
    policy,
    env,
    ...(request.credentials === undefined ? {} : { credentials: request.credentials }),
  });
  const state = stateFolder(request);
  const facts = { ...factsOf(env, workdir), ...(request.staged === true ? { passwdHome: undefined } : {}) };
  const filesystem = mountArguments(
    surveyFilesystem(
      policy.filesystem,
      { ...facts, folders: { ...facts.folders, state } },
      startupPolicy(policy, env, decisions),
    ),
  );
  const launchPlan = plan({
    name: showBytes(argv[0]),
    command: { path, argv },
    env: sealed,
    workdir,
    policy,
    filesystem,
    machine: surveyMachine(env),
    records: state === undefined ? undefined : recordsFor(request, state, decisions, path),
  });
  return {
    decisions,
    plan: launchPlan,
    warnings: [...(state === undefined ? stateWarning() : []), ...filesystem.notes],
  };
}

/** Everything that lacks a state folder lacks it for this one reason, which is said once. */
function stateWarning(): string[] {
  return isFirstTime('state-warned', undefined) ? [UNRECORDED] : [];
}

const UNRECORDED = 'the state folder cannot be written: launches are not recorded; see cordon doctor';

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
  { policy, argv, record }: LaunchRequest,
  state: string,
  decisions: readonly Decision[],
  path: Bytes,
): Records {
  if (!record) return { stateFolder: state };
  const head = auditHead({ policy, decisions, path, argumentCount: argv.length - 1 });
  return { stateFolder: state, audit: { file: auditFile(state), head } };
}
