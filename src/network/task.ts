import type { BrokerSettings } from '../broker/settings.ts';
import type { SshSettings } from '../broker/ssh-agent.ts';
import { type HostRule, type NetworkMode, type NetworkPolicy, parseHost } from '../policy/network/rules.ts';

/** What the process outside is told, as JSON: the policy as it is written, and what only the caller knew. */
export interface Task {
  readonly mode: NetworkMode;
  readonly allow: readonly WrittenRule[];
  readonly deny: readonly WrittenRule[];
  /** The ports that are listened on, in the order of the descriptors. */
  readonly ports: readonly number[];
  /** What messages call it. */
  readonly subject: string;
  /** Where the policy comes from, as in the audit record. */
  readonly policy: string;
  /** Cordon's state folder; undefined: nothing is written down. */
  readonly state?: string | undefined;
  /** The user's own way out, where there is one. */
  readonly upstream?: Upstream | undefined;
  readonly limits?: Partial<ConnectionLimits> | undefined;
  /** What of the launch's credentials is swapped on the way; it has the values. */
  readonly broker?: BrokerSettings | undefined;
  /** Keys of the user's agent; the socket inside is the last descriptor. */
  readonly ssh?: SshSettings | undefined;
}

interface WrittenRule {
  readonly text: string;
  readonly origin: string;
  readonly set?: string | undefined;
}

/** Proxies as URLs, with what they need to let us in. */
export interface Upstream {
  readonly http?: string | undefined;
  readonly https?: string | undefined;
  /** Hosts that are reached without them, as NO_PROXY has it. */
  readonly except?: string | undefined;
}

export interface ConnectionLimits {
  readonly connections: number;
  readonly names: number;
  readonly headBytes: number;
  readonly handshakeMs: number;
  readonly connectMs: number;
  readonly idleMs: number;
  readonly askMs: number;
}

export const USUAL_LIMITS: ConnectionLimits = {
  connections: 4096,
  names: 65_536,
  headBytes: 65_536,
  handshakeMs: 30_000,
  connectMs: 30_000,
  idleMs: 4 * 3_600_000,
  askMs: 120_000,
};

export function taskText(task: Task): string {
  return JSON.stringify(task);
}

export const writtenRules = (rules: readonly HostRule[]): WrittenRule[] =>
  rules.map(({ text, origin, set }) => ({ text, origin, ...(set === undefined ? {} : { set }) }));

/** Read by the very parser that the policy was checked with. */
export function policyOf({ mode, allow, deny }: Task): NetworkPolicy {
  return { mode, allow: allow.flatMap(ruleOf), deny: deny.flatMap(ruleOf) };
}

function ruleOf({ text, origin, set }: WrittenRule): HostRule[] {
  const parsed = parseHost(text, origin);
  if ('problem' in parsed) throw new TypeError(parsed.problem);
  return parsed.rules.map((rule) => (set === undefined ? rule : { ...rule, set }));
}
