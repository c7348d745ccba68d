import type { BrokerRule } from '../policy/broker.ts';

/** A credential as the broker has it: what the command holds, what goes out in its place, and where to. */
export interface Held {
  readonly name: string;
  readonly placeholder: string;
  /** One character per byte. */
  readonly value: string;
  readonly rule: BrokerRule;
  /** Of a token of a log-in: which one of the launch's, and where in its file it stands. */
  readonly logIn?: { readonly id: number; readonly at: string } | undefined;
}

/** What was asked for, after the address was checked. */
export interface Dialled {
  readonly name: string;
  readonly port: number;
}

/** One request or connection, as it is written down: no path, no value. */
export interface BrokerRecord {
  readonly host: string;
  readonly port: number;
  readonly method?: string | undefined;
  /** What decided: `host`, `place`, `twice`, `encoded`, `method`, `path`, `name`, `plain`, `mint`, `log-in`, `client`, `renewed`, `again`, `token`, `unverified`, `unreachable`. */
  readonly rule?: string | undefined;
  /** The credentials that were sent, or that it was about. */
  readonly credentials: readonly string[];
  readonly verdict: 'sent' | 'swapped' | 'refused' | 'failed';
  readonly status?: number | undefined;
  readonly sent?: number | undefined;
  readonly received?: number | undefined;
  readonly milliseconds?: number | undefined;
  /** For people: why not. */
  readonly reason?: string | undefined;
}
