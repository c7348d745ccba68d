import { type HostRule, NETWORK_OFF, type NetworkPolicy } from './network/rules.ts';

/** What one call of a session may use up. */
export interface Limits {
  /** Bytes of memory: of all processes of a call together where control groups are writable, else of each. */
  readonly memory: number;
  readonly processes: number;
  /** Seconds of processor time of each process. */
  readonly cpuSeconds: number;
  /** Bytes of one file. */
  readonly fileSize: number;
  /** Bytes of the private /tmp. */
  readonly temporary: number;
  /** Bytes that are kept of stdout, and as many of stderr. */
  readonly output: number;
  /** Bytes of the file that gets all of the output of one call. */
  readonly outputFile: number;
  /** How many such files of a server stay in a workspace, and how many bytes of them together; the oldest go first. */
  readonly outputFiles: number;
  readonly outputTotal: number;
  readonly timeoutMs: number;
}

/** What a profile says that only sessions know. */
export interface SessionPolicy {
  /** Off in sessions unless a profile opens it, by `network.block: false` or a list. */
  readonly network: NetworkPolicy;
  readonly limits: Partial<Limits>;
  /** Folders that PATH has behind /usr/bin:/bin. */
  readonly path: readonly string[];
  /** What sessions deny besides. */
  readonly blockedHosts: readonly HostRule[];
}

export const CLOSED_SESSION: SessionPolicy = { network: NETWORK_OFF, limits: {}, path: [], blockedHosts: [] };
