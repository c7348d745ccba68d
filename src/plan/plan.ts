import type { Bytes } from '../host/bytes.ts';
import { CordonError } from '../host/errors.ts';
import { isByName } from '../policy/network/rules.ts';
import type { Isolation, Policy } from '../policy/policy.ts';
import { isSealed, type SealedEnv } from '../seal/seal.ts';
import type { Operation, SystemLinks } from './places/index.ts';

declare const planBrand: unique symbol;

export interface Command {
  /** The file to execute. */
  readonly path: Bytes;
  /** All arguments; the first is the name the program sees as its own. */
  readonly argv: readonly Bytes[];
  /** Where a path without a slash is looked for, by the launcher: in a container nobody outside can. */
  readonly search?: readonly Bytes[];
}

export interface PlanInput {
  readonly name: string;
  readonly command: Command;
  readonly env: SealedEnv;
  readonly workdir: string;
  readonly policy: Pick<Policy, 'isolation' | 'network' | 'filesystem'>;
  /** What is where inside. */
  readonly places: readonly Operation[];
  readonly machine: Machine;
  readonly records?: Records | undefined;
  readonly limits?: readonly ResourceLimit[] | undefined;
  /** Nothing is started: the arguments are paths, of which is told what the command would find there. */
  readonly look?: boolean | undefined;
  /** What is only good to know is left out. */
  readonly quiet?: boolean | undefined;
  /** At the end is told what the policy kept away, also of a command that succeeded. */
  readonly summary?: boolean | undefined;
  /** Standard error is a pipe, and whoever reads it shows it on a terminal. */
  readonly onTerminal?: boolean | undefined;
  /** The file that a list of all that is tried goes to. */
  readonly trace?: string | undefined;
}

/** What each process of the command may use, as `setrlimit` has it; only behind the barrier. */
export interface ResourceLimit {
  readonly resource: 'nproc' | 'data' | 'cpu' | 'fsize' | 'nofile';
  readonly value: number;
}

/** What this machine offers to a launch. */
export interface Machine {
  readonly bwrap: string | undefined;
  readonly uid: number;
  readonly arch: 'x64' | 'arm64' | undefined;
  readonly links: SystemLinks;
}

/** Where Cordon keeps book about this launch. */
export interface Records {
  /** The id of the launch; undefined in a shim, whose launcher makes one at each start. */
  readonly launch?: string | undefined;
  readonly stateFolder: string;
  readonly audit?: { readonly file: string; readonly head: string } | undefined;
}

/** Everything about one launch, as data; only `plan` makes one and only `launch` carries it out. */
export interface LaunchPlan {
  readonly [planBrand]: true;
  readonly name: string;
  readonly command: Command;
  readonly env: SealedEnv;
  readonly workdir: string;
  readonly isolation: Isolation;
  readonly bwrap: string | undefined;
  readonly places: readonly Operation[];
  readonly arch: Machine['arch'];
  /** Why filter would not do, when it would not. */
  readonly explicit: string | undefined;
  readonly records: Records | undefined;
  readonly limits: readonly ResourceLimit[];
  readonly look: boolean;
  readonly quiet: boolean;
  readonly summary: boolean;
  readonly onTerminal: boolean;
  readonly trace: string | undefined;
}

/** Hosts that are named need someone who lets them through: without that, a plan is none. */
export function withNetwork(places: readonly Operation[], network: Policy['network']): readonly Operation[] {
  if (network.mode === 'off') return [...places, { kind: 'network-off' }];
  if (isByName(network) && !places.some(({ kind }) => kind === 'network-names'))
    throw new TypeError('a plan with a list of hosts says who lets them through');
  return places;
}

const plans = new WeakSet<object>();

export function plan(input: PlanInput): LaunchPlan {
  if (!isSealed(input.env)) throw new TypeError('a plan takes only an environment made by seal()');
  const { policy, machine } = input;
  const explicit = whyBarrier(policy);
  if (policy.isolation === 'filter' && explicit !== undefined) throw contradiction(explicit);
  const result = {
    name: input.name,
    command: input.command,
    env: input.env,
    workdir: input.workdir,
    isolation: policy.isolation,
    bwrap: machine.bwrap,
    places: policy.isolation === 'filter' ? input.places : withNetwork(input.places, policy.network),
    arch: machine.arch,
    explicit,
    records: input.records,
    limits: input.limits ?? [],
    look: input.look ?? false,
    quiet: input.quiet ?? false,
    summary: input.summary ?? false,
    onTerminal: input.onTerminal ?? false,
    trace: input.trace,
  };
  plans.add(result);
  return Object.freeze(result) as unknown as LaunchPlan;
}

export function isPlan(value: unknown): value is LaunchPlan {
  return typeof value === 'object' && value !== null && plans.has(value);
}

function whyBarrier({ filesystem, network, isolation }: PlanInput['policy']): string | undefined {
  if (network.mode === 'off') return 'the network is to be off';
  if (isByName(network)) return 'the network is to be open by name';
  if (filesystem.explicit) return `filesystem preset ${filesystem.preset} was asked for`;
  return isolation === 'barrier' ? 'isolation barrier was asked for' : undefined;
}

function contradiction(why: string): CordonError {
  return new CordonError('policy', `isolation filter cannot hold this: ${why}`, {
    hint: 'leave out --isolation filter, or the part of the policy that needs the barrier',
  });
}
