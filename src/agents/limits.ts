import type { EndCause } from '../launch/ending.ts';

/** Why an agent ended: by itself, because it was told to, or because its time was over. */
export type EndReason = 'exited' | 'aborted' | 'timeout';

export interface AgentLimits {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  /** How long it may take to end by itself once it is told to. */
  readonly graceMs?: number | undefined;
}

/** An agent may have work to put down first. */
export const GRACE_MS = 5000;

export function reasonOf(cause: EndCause | undefined): EndReason {
  if (cause === undefined) return 'exited';
  return cause === 'time' ? 'timeout' : 'aborted';
}
