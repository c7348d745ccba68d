import type { MintRule, TokenShape } from '../policy/broker.ts';
import type { Authority } from './authority.ts';
import type { Held } from './held.ts';
import type { KeptLogIn } from './log-ins.ts';

/** All that the process outside needs to know, as it is handed over a pipe. */
export interface BrokerSettings {
  readonly held: readonly Held[];
  readonly authority: Authority;
  readonly trust: readonly string[];
  readonly mints: readonly MintRule[];
  readonly shapes: readonly TokenShape[];
  readonly logIns: readonly KeptLogIn[];
  /** The terminal of the launch, where a person agrees to a new log-in. */
  readonly terminal?: Terminal | undefined;
}

export interface Terminal {
  readonly path: string;
  /** By which it is known to be the same. */
  readonly device: number;
}
