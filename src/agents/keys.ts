import { type Bytes, bytesOfText, showText } from '../host/bytes.ts';
import { CordonError } from '../host/errors.ts';
import type { Adapter } from './adapter.ts';
import type { AgentConfig, Key, Role, Scope } from './config/tables.ts';

/** Who is started: an adapter, in a role, under an id. */
export interface Identity {
  readonly adapter: Adapter;
  readonly role?: Role | undefined;
  readonly id?: string | undefined;
}

/** The keys this agent gets: those of adapter and role, as far as its scope has them. */
export function keysOf(identity: Identity, config: AgentConfig): Key[] {
  const { adapter, role } = identity;
  const own = adapter.extraKeys.map((name) => ({ name: bytesOfText(name), origin: `adapter ${adapter.name}` }));
  const added = [...(config.additions.get(adapter.name)?.keys ?? []), ...(role?.keys ?? [])];
  const all = [...new Map([...own, ...added].reverse().map((key) => [key.name, key])).values()].reverse();
  const scope = scopeOf(identity, config);
  return scope === undefined ? all : all.filter(({ name }) => scope.includes(name));
}

/** By exact id, then the first pattern of ids in the file, then the role. Undefined: scoping is off. */
function scopeOf({ adapter, role, id }: Identity, { scopes }: AgentConfig): readonly Bytes[] | undefined {
  if (scopes === undefined) return undefined;
  const found =
    scopeOfId(id, scopes) ??
    scopes.find(({ pattern }) => pattern.exact && pattern.source === bytesOfText(role?.name ?? ''));
  if (found !== undefined) return found.keys;
  if (role?.saysKeys === true) return role.keys.map(({ name }) => name);
  throw withoutScope(adapter, role, id);
}

function scopeOfId(id: string | undefined, scopes: readonly Scope[]): Scope | undefined {
  if (id === undefined) return undefined;
  const name = bytesOfText(id);
  return (
    scopes.find(({ pattern }) => pattern.exact && pattern.source === name) ??
    scopes.find(({ pattern }) => !pattern.exact && pattern.matches(name))
  );
}

function withoutScope(adapter: Adapter, role: Role | undefined, id: string | undefined): CordonError {
  const who = [
    id === undefined ? 'no id' : `id '${showText(id)}'`,
    role === undefined ? 'no role' : `role '${role.name}'`,
  ];
  return new CordonError('scope', `no scope of credentials covers ${adapter.name} with ${who.join(' and ')}`, {
    where: 'cordon.toml [scopes]',
    hint: 'give --id or --role, or add [scopes."ID"] with its keys; nothing was started',
  });
}
