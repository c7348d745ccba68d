import type { Session } from '../sessions/types.ts';
import type { CallGate } from './call-gate.ts';

export type CallKind = 'bash' | 'skill';
export type Outcome = 'ok' | 'failed' | 'timeout' | 'limit' | 'cancelled' | 'refused';

/** Counts calls; learns neither commands nor names. */
export interface CallObserver {
  /** Not begun at all. */
  refused(kind: CallKind): void;
  started(kind: CallKind): void;
  ended(kind: CallKind, outcome: Outcome, seconds: number): void;
}

/** What the tools of one connection work with. */
export interface Serving {
  readonly session: Session;
  readonly gate: CallGate;
  readonly version: string;
  readonly observer?: CallObserver;
  /** Aborted when the server ends. */
  readonly ended?: AbortSignal;
  /** No new calls: the server is about to end. */
  readonly draining?: () => boolean;
}
