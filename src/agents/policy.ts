import { type Decision, decide } from '../decide/decide.ts';
import { type Bytes, bytesOfText, showBytes, showText } from '../host/bytes.ts';
import { CordonError } from '../host/errors.ts';
import type { ParentEnv } from '../host/parent-env.ts';
import { credentialRule } from '../policy/credential.ts';
import { type HostRule, hostName, type NetworkPolicy, parseHost } from '../policy/network/rules.ts';
import { Pattern } from '../policy/pattern.ts';
import {
  type AllowRule,
  type CredentialRule,
  DEFAULT_POLICY,
  type DenyRule,
  type FilesystemPolicy,
  type GuardMode,
  type Policy,
} from '../policy/policy.ts';
import { asksForEverything } from '../policy/presets/presets.ts';
import { denyOf, filesystemOf, sshOf } from '../policy/profile/finish.ts';
import { EMPTY_LAYER, type Layer } from '../policy/profile/layer.ts';
import { mergeNetworks, networkOf } from '../policy/profile/read-network.ts';
import type { Adapter } from './adapter.ts';
import type { AgentConfig, AgentMode, Key, Role, Scope } from './config/tables.ts';
import { namedFiles, placesOfAgent, placesThere } from './files.ts';

interface AgentPolicyRequest extends Identity {
  readonly config: AgentConfig;
  readonly env: ParentEnv;
  /** What profiles say whose rules are added. */
  readonly layer?: Layer | undefined;
  /** The files that those profiles are written in. */
  readonly files?: readonly string[] | undefined;
  readonly mode?: AgentMode | undefined;
}

/**
 * What an agent is started with: the agent base, its keys, its addresses and settings, what tables and a profile add, always behind the
 * credential guard, with its own log-in in sight. Nothing in it turns the filter off.
 */
export function agentPolicy(request: AgentPolicyRequest): Policy {
  const { adapter, role, layer } = request;
  if (layer !== undefined) refuseOpenLayer(layer);
  const keys = keysOf(request, request.config);
  const deny = [...(role?.deny ?? []), ...(layer === undefined ? [] : denyOf(layer))];
  return {
    ...DEFAULT_POLICY,
    origin: [`agent ${adapter.name}`, ...(role === undefined ? [] : [`role ${role.name}`])].join(', '),
    base: { preset: 'agent', origin: `adapter ${adapter.name}` },
    allow: [...adapterRules(request, keys), ...(layer?.allow?.rules ?? [])],
    deny,
    set: layer?.set ?? [],
    credentials: credentialsOf(request, keys, deny),
    ...(layer === undefined ? {} : sshOf(layer)),
    guard: guardOf(request),
    filesystem: filesystemFor(request, keys),
    network: agentNetwork(request),
    isolation: layer?.isolation?.value ?? 'auto',
    redact: layer?.redact?.value ?? false,
    files: [...(request.files ?? []), ...(request.config.file === undefined ? [] : [request.config.file])],
    warnings: layer?.warnings ?? [],
  };
}

function adapterRules({ adapter, role, config }: AgentPolicyRequest, keys: readonly Key[]): AllowRule[] {
  const isAddress = (name: string) => adapter.addresses.includes(name);
  const exact = (name: string, origin = `adapter ${adapter.name}`): AllowRule => ({
    pattern: Pattern.exactly(bytesOfText(name)),
    origin,
  });
  const addresses = adapter.addresses.filter((name) => !adapter.extraKeys.includes(name));
  return [
    ...keys.map(({ name, origin }) => ({ ...exact(name, origin), ...(isAddress(name) ? PLAIN : { extraKey: true }) })),
    ...addresses.map((name) => ({ ...exact(name), ...PLAIN })),
    ...adapter.settings.map((name) => exact(name)),
    ...(config.additions.get(adapter.name)?.allow ?? []),
    ...(role?.allow ?? []),
  ];
}

/** What profiles, the table of the agent and its role say together; `@own` is what the adapter itself names. */
function agentNetwork(request: AgentPolicyRequest): NetworkPolicy {
  const { adapter, role, layer, config } = request;
  const tables = [layer?.network, config.additions.get(adapter.name)?.network, role?.network];
  const said = tables.reduce<Layer['network']>(
    (under, over) => mergeNetworks(under, over ?? EMPTY_LAYER.network),
    EMPTY_LAYER.network,
  );
  const network = networkOf(said);
  return { ...network, own: ownHosts(request) };
}

/** The hosts of its services, and the one that an address in its variables leads to. */
function ownHosts({ adapter, env }: AgentPolicyRequest): HostRule[] {
  const addressed = adapter.addresses.flatMap((name) => {
    const value = env.get(bytesOfText(name));
    return value === undefined ? [] : hostOfUrl(value);
  });
  return [...(adapter.hosts ?? []), ...addressed].flatMap((host) => {
    const parsed = parseHost(host, `adapter ${adapter.name}`);
    return 'rules' in parsed ? parsed.rules : [];
  });
}

function hostOfUrl(text: string): string[] {
  if (!URL.canParse(text)) return [];
  const { hostname, port, protocol } = new URL(text);
  if (!/^(https?|wss?):$/.test(protocol) || 'problem' in hostName(hostname)) return [];
  return [port === '' ? hostname : `${hostname}:${port}`];
}

const PLAIN = { plain: true } as const;

/** `strict` stops the launch where the guard holds something back that a rule would let through. */
function guardOf({ mode, role, layer }: AgentPolicyRequest): GuardMode {
  return (mode ?? role?.mode) === 'strict' ? 'forbid' : (layer?.guard?.value ?? 'strip');
}

function filesystemFor({ adapter, env, layer }: AgentPolicyRequest, keys: readonly Key[]): FilesystemPolicy {
  const asked = layer === undefined ? DEFAULT_POLICY.filesystem : filesystemOf(layer);
  const named = (adapter.pathKeys ?? []).filter((path) => keys.some(({ name }) => name === path));
  const { files, shown, projects = [] } = adapter;
  const written = placesThere(adapter.written, env);
  const own = [...placesThere(files, env), ...namedFiles(named, env)];
  return {
    ...asked,
    expose: [...asked.expose, ...own.filter((path) => !asked.hide.includes(path))],
    // Also those that are not there yet: what an agent writes at its first start comes back too.
    show: [...asked.show, ...placesOfAgent(shown, env)],
    write: [...asked.write, ...written],
    said: {
      plain: written,
      projects: projects.flatMap(({ folder, aside }) =>
        placesThere([folder], env).map((path) => ({ folder: path, aside })),
      ),
    },
  };
}

/** A profile says what passes by itself; beside an agent it only adds to what the agent gets. */
function refuseOpenLayer({ base, guard, guardExceptions, allow }: Layer): void {
  if (base !== undefined && base.value !== 'agent') throw refusal(`base ${base.value}`, base.origin);
  if (guard?.value === 'off') throw refusal('guard off', guard.origin);
  const exception = guardExceptions[0];
  if (exception !== undefined) throw refusal(`guard_exceptions (${showBytes(exception.name)})`, exception.origin);
  const everything = allow?.rules.find(({ pattern }) => asksForEverything(pattern));
  if (everything !== undefined) throw refusal(`allow ${everything.pattern.source}`, everything.origin);
}

function refusal(what: string, where: string): CordonError {
  return new CordonError('policy', `${what} is refused for an agent: nothing turns its filter off`, {
    where,
    hint: 'use a profile that names the variables to add',
  });
}

/** Who is started: an adapter, in a role, under an id. */
interface Identity {
  readonly adapter: Adapter;
  readonly role?: Role | undefined;
  readonly id?: string | undefined;
}

/** The keys this agent gets: those of adapter and role, as far as its scope has them. */
function keysOf(identity: Identity, config: AgentConfig): Key[] {
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

/** Where keys come from, when not from the variable of their name: tables, the role before the agent, then a profile. Only keys it gets. */
function credentialsOf(request: AgentPolicyRequest, keys: readonly Key[], deny: readonly DenyRule[]): CredentialRule[] {
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

const GUARDS = /^(?:guard|never|hold|check|value) /;

/** What an allow rule asks for and a guard holds back all the same: said in permissive mode, passed in none. */
function heldBack(policy: Policy, env: ParentEnv): Decision[] {
  const asked = (name: Decision['name']) => policy.allow.some(({ pattern }) => pattern.matches(name));
  return decide(policy, env).filter(
    ({ name, verdict, rule }) => verdict === 'drop' && GUARDS.test(rule) && asked(name),
  );
}

export function heldBackReport(policy: Policy, env: ParentEnv): string[] {
  env.report();
  return heldBack(policy, env).map(
    ({ name, reason, rule }) => `${showBytes(name)} is allowed, and held back by a guard (${rule}): ${reason}`,
  );
}
