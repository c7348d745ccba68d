import type { MintRule } from '../policy/broker.ts';
import type { Authority } from './authority.ts';
import type { Held } from './held.ts';

/** All that the process outside needs to know, as it is handed over a pipe. */
export interface BrokerSettings {
  readonly held: readonly Held[];
  readonly authority: Authority;
  readonly trust: readonly string[];
  readonly mints: readonly MintRule[];
}
