import type { Bytes } from '../host/bytes.ts';
import { CordonError } from '../host/errors.ts';
import type { Isolation, NetworkPolicy, Policy } from '../policy/policy.ts';
import { isSealed, type SealedEnv } from '../seal/seal.ts';
import type { FsPlan } from './filesystem/index.ts';

declare const planBrand: unique symbol;

export interface Command {
  /** The file to execute. */
  readonly path: Bytes;
  /** All arguments; the first is the name the program sees as its own. */
  readonly argv: readonly Bytes[];
}

export interface PlanInput {
  readonly name: string;
  readonly command: Command;
  readonly env: SealedEnv;
  readonly workdir: string;
  readonly policy: Pick<Policy, 'isolation' | 'network' | 'filesystem'>;
  readonly filesystem: FsPlan;
  readonly machine: Machine;
  readonly records?: Records | undefined;
  /** What the working folder is called inside, where that differs. */
  readonly inside?: string | undefined;
  readonly limits?: readonly ResourceLimit[] | undefined;
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
}

/** Where Cordon keeps book about this launch. */
export interface Records {
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
  readonly sandbox: readonly (readonly string[])[];
  readonly filesystem: FsPlan;
  readonly arch: Machine['arch'];
  /** Why filter would not do, when it would not. */
  readonly explicit: string | undefined;
  readonly records: Records | undefined;
  readonly limits: readonly ResourceLimit[];
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
    sandbox: [
      ...namespaceArguments(machine, policy.network),
      ...input.filesystem.sandbox,
      ['--chdir', input.inside ?? input.workdir],
    ],
    filesystem: input.filesystem,
    arch: machine.arch,
    explicit,
    records: input.records,
    limits: input.limits ?? [],
  };
  if (policy.isolation !== 'filter' && machine.bwrap !== undefined) refuseTooMuch(result.sandbox.flat(), input.command);
  plans.add(result);
  return Object.freeze(result) as unknown as LaunchPlan;
}

export function isPlan(value: unknown): value is LaunchPlan {
  return typeof value === 'object' && value !== null && plans.has(value);
}

function whyBarrier({ filesystem, network, isolation }: PlanInput['policy']): string | undefined {
  if (network.off) return 'the network is to be off';
  if (filesystem.explicit) return `filesystem preset ${filesystem.preset} was asked for`;
  return isolation === 'barrier' ? 'isolation barrier was asked for' : undefined;
}

/** What bubblewrap takes (9000) and what the kernel takes (2 MB, the environment aside), with room to spare. */
const MOST_ARGUMENTS = 8_800;
const MOST_BYTES = 1_500_000;

/** Bubblewrap would fail and `auto` fall back to filter: a command could bring that about for the next one by filling the home with files to cover. */
function refuseTooMuch(sandbox: readonly string[], { argv }: Command): void {
  const bytes = sandbox.reduce((sum, argument) => sum + Buffer.byteLength(argument) + 1, 0);
  if (sandbox.length + argv.length <= MOST_ARGUMENTS && bytes <= MOST_BYTES) return;
  const [places, given] = [Math.round(sandbox.length / 3), argv.length - 1];
  throw new CordonError(
    'policy',
    `too much for bubblewrap: about ${places} places to cover, ${given} arguments for the command`,
    {
      hint: 'fewer arguments at a time, or remove what fills the home (many .*_history or .env.* files?)',
    },
  );
}

function contradiction(why: string): CordonError {
  return new CordonError('policy', `isolation filter cannot hold this: ${why}`, {
    hint: 'leave out --isolation filter, or the part of the policy that needs the barrier',
  });
}

/**
 * Own PID, IPC and UTS namespaces, no capabilities, gone when the launcher is gone. Ordinary users need a user namespace for it.
 * PID 1 inside is Cordon's own inner process.
 */
export function namespaceArguments(machine: Machine, { off }: NetworkPolicy): string[][] {
  return [
    ['--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    ...(off ? [['--unshare-net']] : []),
    ...processNamespaceArguments(machine),
  ];
}

/** The least that makes a barrier: the processes outside are out of sight, all else is the host's. */
export function processNamespaceArguments({ uid }: Machine): string[][] {
  return [
    ...(uid === 0 ? [] : [['--unshare-user']]),
    ['--unshare-pid', '--die-with-parent', '--as-pid-1', '--cap-drop', 'ALL'],
  ];
}
