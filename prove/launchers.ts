import type { Attempt, Start } from './attempt.ts';
import type { Probe } from './probe.ts';

/** What stands between the user's shell and the trial. */
export interface Launcher {
  /** `cordon` is held to what its policy promises; the others are shown beside it. */
  readonly kind: 'nothing' | 'cordon' | 'other';
  /** The head of its column. */
  readonly title: string;
  readonly version?: string | undefined;
  /** How it is told what to do. */
  readonly flags?: string | undefined;
  readonly start: (attempt: Attempt) => Start;
  /** Why this one does not promise to hold it, whatever its policy says. */
  readonly leaves?: (probe: Probe) => string | undefined;
  /** What of its policy lets things through, and the same launcher without some of that. */
  readonly loosened?: Loosened;
}

export interface Loosened {
  /** Each in words: `allow API_TOKEN (flag --allow)`. */
  readonly by: readonly string[];
  readonly without: (these: ReadonlySet<number>) => Launcher;
}

/** The control: a probe that finds nothing here can't be tried on this machine at all. */
export const NOTHING: Launcher = { kind: 'nothing', title: 'nothing', start: ({ trial }) => ({ argv: trial }) };

export interface Prefix {
  readonly prefix: string;
  /** More folders for PATH, where the launcher and what it needs are installed. */
  readonly path?: string;
  readonly version?: string | undefined;
}

/**
 * Any other launcher, as its user types it before a command. What a policy of Cordon's would be told for the probe, the launcher finds in two
 * variables, in case it can be told as much: hosts as `--net` takes them, and `NAME@HOST` of what is to be brokered.
 */
export function underPrefix({ prefix, path = '', version }: Prefix): Launcher {
  const script = `PATH=$PATH$1 CORDON_PROVE_HOSTS=$2 CORDON_PROVE_BROKER=$3; export PATH; shift 3
if [ "$CORDON_PROVE_HOSTS$CORDON_PROVE_BROKER" ]; then export CORDON_PROVE_HOSTS CORDON_PROVE_BROKER; fi; exec ${prefix} "$@"`;
  const more = path === '' ? '' : `:${path}`;
  return {
    kind: 'other',
    title: prefix,
    version,
    start: ({ trial, hosts, brokered }) => {
      const named = Object.entries(brokered).map(([name, host]) => `${name}@${host}`);
      return { argv: ['/bin/sh', '-c', script, 'sh', more, hosts.join(' '), named.join(' '), ...trial] };
    },
  };
}
