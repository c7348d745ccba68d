import { type Bytes, bytesOfText } from '../host/bytes.ts';
import { credentialRule } from '../policy/credential.ts';
import type { CredentialRule, DenyRule } from '../policy/policy.ts';
import type { Key } from './config/tables.ts';
import type { AgentPolicyRequest } from './policy.ts';

/** Where keys come from, when not from the variable of their name: tables, the role before the agent, then a profile. Only keys it gets. */
export function credentialsOf(
  request: AgentPolicyRequest,
  keys: readonly Key[],
  deny: readonly DenyRule[],
): CredentialRule[] {
  const { adapter, role, config, layer } = request;
  const tables = [...(config.additions.get(adapter.name)?.credentials ?? []), ...(role?.credentials ?? [])];
  const own = tables.filter(({ target }) => isAmong(target, keys));
  const profile = layer?.credentials.map(({ rule }) => rule) ?? [];
  const configured = [...new Map([...own, ...profile].map((rule) => [rule.target, rule])).values()];
  return [...configured, ...aliased(request, configured, { keys, deny })];
}

const isAmong = (target: Bytes, keys: readonly Key[]) => keys.some(({ name }) => name === target);

interface Limits {
  readonly keys: readonly Key[];
  readonly deny: readonly DenyRule[];
}

/** Where only one of two names is there, the other gets its value too: it is injected under both, so that neither is taken for inherited. */
function aliased(
  { adapter, env }: AgentPolicyRequest,
  configured: readonly CredentialRule[],
  limits: Limits,
): CredentialRule[] {
  if (adapter.alias === undefined) return [];
  const [name, from] = [bytesOfText(adapter.alias.name), bytesOfText(adapter.alias.from)];
  const mayBoth = [name, from].every((one) => isAmong(one, limits.keys) && !isDenied(one, limits.deny));
  const hasName = isSet(env.get(name)) || configured.some(({ target }) => target === name);
  if (!mayBoth || hasName) return [];
  const origin = `adapter ${adapter.name}`;
  const known = configured.find(({ target }) => target === from);
  if (known !== undefined) return [{ ...known, target: name, origin }];
  if (!isSet(env.get(from))) return [];
  return [name, from].map((target) => credentialRule({ target, source: `env://${from}`, origin }));
}

const isSet = (value: Bytes | undefined) => value !== undefined && value !== '';

function isDenied(name: Bytes, deny: readonly DenyRule[]): boolean {
  return deny.some(({ pattern, except }) => pattern.matches(name) && !except.some((one) => one.matches(name)));
}
