import type { MintRule } from '../policy/broker.ts';
import type { Authority } from './authority.ts';
import { Broker } from './broker.ts';
import type { BrokerRecord, Held } from './held.ts';

/** All that the process outside needs to know, as it is handed over a pipe. */
export interface BrokerSettings {
  readonly held: readonly Held[];
  readonly authority: Authority;
  readonly trust: readonly string[];
  readonly mints: readonly MintRule[];
}

/** One line of text; only the pipe to the process outside ever carries it. */
export const writeSettings = (settings: BrokerSettings): string => JSON.stringify(settings);

export function brokerOf(text: string, record: (entry: BrokerRecord) => void): Broker {
  return new Broker({ ...(JSON.parse(text) as BrokerSettings), record });
}
