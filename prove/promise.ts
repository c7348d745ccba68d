import type { Promised } from './probe.ts';

export interface Commitment {
  /** Whether a leak is a broken promise, or something that this policy leaves open. */
  readonly held: boolean;
  /** What it rests on, or why it is open. */
  readonly why: string;
}

export type Commitments = Readonly<Record<Promised, Commitment>>;

/** Whether this machine can set up the barrier, and what was found. */
export interface BarrierState {
  readonly ok: boolean;
  readonly found: string;
}

/** What of a policy its promises rest on. */
export interface PromisingPolicy {
  readonly isolation: 'auto' | 'barrier' | 'filter';
  readonly network: { readonly mode: 'on' | 'off' | 'names' | 'learn' | 'ask' };
  readonly filesystem: { readonly preset: 'all' | 'guarded' | 'workspace' | 'minimal'; readonly explicit: boolean };
}

/** What this policy promises on this machine, as SECURITY.md has it. */
export function commitmentsOf(policy: PromisingPolicy, barrier: BarrierState): Commitments {
  const processes = behindBarrier(policy, barrier);
  const { preset } = policy.filesystem;
  const files = given(processes, preset !== 'all', `filesystem preset ${preset}`);
  return {
    environment: { held: true, why: 'every policy filters the environment' },
    processes,
    credentials: files,
    planting: files,
    'own-files': processes,
    network: given(
      processes,
      policy.network.mode !== 'on' && policy.network.mode !== 'learn',
      networkWords(policy.network.mode),
    ),
    broker: processes,
    home: given(processes, preset === 'workspace' || preset === 'minimal', `filesystem preset ${preset}`),
    nothing: { held: false, why: 'no policy of Cordon claims to hold this' },
  };
}

const networkWords = (mode: PromisingPolicy['network']['mode']) =>
  mode === 'off' ? 'the network is off' : `the network is ${mode === 'on' ? 'on' : 'open by name'}`;

/** An explicit policy never degrades: without the barrier nothing is started, so the promise stands. */
function behindBarrier({ isolation, network, filesystem }: PromisingPolicy, { ok, found }: BarrierState): Commitment {
  if (isolation === 'filter') return { held: false, why: 'isolation filter: there is no barrier' };
  if (ok || isolation === 'barrier' || network.mode !== 'on' || filesystem.explicit)
    return { held: true, why: 'the barrier' };
  return { held: false, why: `this machine has no barrier: ${found}` };
}

const given = (processes: Commitment, held: boolean, why: string): Commitment =>
  processes.held ? { held, why } : processes;
