import type { Bytes } from '../../host/bytes.ts';
import { CordonError } from '../../host/errors.ts';
import type { AGENT_MODES } from '../../policy/config/shape.ts';
import type { Pattern } from '../../policy/pattern.ts';
import type { AllowRule, CredentialRule, DenyRule, Origin } from '../../policy/policy.ts';
import type { NetworkLayer } from '../../policy/profile/layer.ts';
import { didYouMean } from '../../policy/profile/shape.ts';
import type { Adapter } from '../adapter.ts';

/** What happens when the guard holds a credential back: `strict` starts nothing, `permissive` says so and goes on. */
export type AgentMode = (typeof AGENT_MODES)[number];

/** A key with the place it is written in. */
export interface Key {
  readonly name: Bytes;
  readonly origin: Origin;
}

/** What a table adds to an adapter's own policy. */
export interface Additions {
  readonly network?: NetworkLayer | undefined;
  readonly keys: readonly Key[];
  readonly allow: readonly AllowRule[];
  readonly credentials: readonly CredentialRule[];
}

export interface Role extends Additions {
  readonly name: string;
  readonly origin: Origin;
  readonly deny: readonly DenyRule[];
  readonly profile?: string | undefined;
  readonly mode?: AgentMode | undefined;
  /** Whether it says which keys it gets, and be it none: it is a scope then. */
  readonly saysKeys: boolean;
}

export interface Scope {
  readonly pattern: Pattern;
  readonly keys: readonly Bytes[];
  readonly origin: Origin;
}

/** What cordon.toml says about agents. */
export interface AgentConfig {
  /** The file, or undefined where there is none. */
  readonly file: string | undefined;
  readonly adapters: readonly Adapter[];
  /** By the adapter's name. */
  readonly additions: ReadonlyMap<string, Additions>;
  readonly roles: ReadonlyMap<string, Role>;
  /** Undefined: scoping is off. In the order of the file. */
  readonly scopes: readonly Scope[] | undefined;
}

export function findRole(name: string, { roles, file }: AgentConfig): Role {
  const found = roles.get(name);
  if (found !== undefined) return found;
  const known = [...roles.keys()];
  const hint = known.length === 0 ? `add [roles.${name}] to cordon.toml` : `known: ${known.join(', ')}`;
  throw new CordonError('role', `there is no role '${name}'`, { where: file, hint: didYouMean(name, known) ?? hint });
}
