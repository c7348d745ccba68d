import { existsSync, realpathSync } from 'node:fs';
import type { Adapter } from '../agents/adapter.ts';
import { placesOfAgent, placesThere } from '../agents/files.ts';
import { isMarkedFile, vaultedPlace } from '../broker/vaulted-log-in.ts';
import { type Bytes, bytesOfText, showBytes } from '../host/bytes.ts';
import { throughLinks } from '../host/files.ts';
import type { BrokerRule } from '../policy/broker.ts';
import { brokerRule, serviceNamed, serviceOfVariable } from '../policy/broker-rule.ts';
import { credentialRule } from '../policy/credential.ts';
import { isLogInName, type LogInRule, logInOf } from '../policy/log-ins.ts';
import type { CredentialRule, Policy } from '../policy/policy.ts';
import { parseSshRule } from '../policy/ssh.ts';
import { agentConfig, agentNamed } from './agent-policy.ts';
import type { Context } from './context.ts';
import { flagValues, type ParsedArguments, textValue, usageError } from './flags.ts';

const FORM = 'write NAME@HOST[,HOST], NAME=SOURCE@HOST, @SERVICE, ssh:KEY@HOST, or --broker alone with an agent';
const ORIGIN = 'flag --broker';

/** The credentials that are brokered: their values stay outside. Without a name it is the agent's own. */
export function withBrokerFlags(policy: Policy, parsed: ParsedArguments, context: Context): Policy {
  if (flagValues(parsed, '--net').some((word) => word === 'on'))
    throw usageError(
      '--broker and --net on contradict each other: nobody stands between the command and such a network',
      'leave out --net on, name hosts with --net HOST, or let all be learnt with --net learn',
    );
  const added = flagValues(parsed, '--broker').map((value) => textValue(value, '--broker'));
  return added.reduce((before, text) => withBroker(before, text, parsed, context), policy);
}

function withBroker(policy: Policy, text: string, parsed: ParsedArguments, context: Context): Policy {
  if (text === '') return withOwnKeys(policy, parsed, context);
  if (text.startsWith('ssh:')) return withSshKey(policy, text.slice('ssh:'.length), parsed);
  const service = serviceNamed(text);
  if (service !== undefined) return withService(policy, text, service.variables, context);
  const at = text.lastIndexOf('@') > 0 && text.includes('@@') ? text.indexOf('@@') : text.lastIndexOf('@');
  const [named, hosts] = [text.slice(0, at), text.slice(at + 1)];
  if (at === -1) throw noHost(text);
  if (at === 0 && hosts !== '') ruleFor([text]);
  if (at < 1 || hosts === '') throw usageError(`--broker ${text} names no variable and host`, FORM);
  const equals = named.indexOf('=');
  const name = equals === -1 ? named : named.slice(0, equals);
  const source = equals === -1 ? sourceOf(name, policy, context) : named.slice(equals + 1);
  return withRule(policy, { name, source, broker: ruleFor(hosts.split(',')) });
}

function withSshKey(policy: Policy, text: string, parsed: ParsedArguments): Policy {
  if (parsed.flags.some(({ name }) => name === '--ssh-agent'))
    throw usageError(
      '--broker ssh: and --ssh-agent contradict each other: one is an agent with some keys, the other your own with all',
      'leave out --ssh-agent',
    );
  const rule = parseSshRule(text, ORIGIN);
  if ('problem' in rule) throw usageError(`--broker: ${rule.problem}`, rule.hint ?? FORM);
  return { ...policy, ssh: [...(policy.ssh ?? []), rule.value] };
}

/** The host says where the value may go; for well-known variables it is known. */
function noHost(name: string): Error {
  const service = serviceOfVariable(name);
  const known = service === undefined ? '' : `; for this one --broker @${service} does`;
  return usageError(`--broker ${name} does not say which host gets the value`, `write --broker ${name}@HOST${known}`);
}

function ruleFor(hosts: readonly string[]): BrokerRule {
  const rule = brokerRule({ for: hosts, as: [], methods: [], paths: [] });
  if (!Array.isArray(rule)) return rule as BrokerRule;
  const [{ problem, hint }] = rule as [{ problem: string; hint?: string }];
  throw usageError(`--broker: ${problem}`, hint ?? FORM);
}

/** The variable of this environment where there is one, else the vault. */
function sourceOf(name: string, policy: Policy, { env }: Context): CredentialRule['source'] {
  const known = policy.credentials.find(({ target }) => target === name);
  if (known !== undefined) return known.source;
  return isSet(env.get(bytesOfText(name))) ? `env://${name}` : name;
}

const isSet = (value: Bytes | undefined) => value !== undefined && value !== '';

interface Named {
  readonly name: string;
  readonly source: CredentialRule['source'];
  readonly broker: BrokerRule;
}

function withRule(policy: Policy, { name, source, broker }: Named): Policy {
  const rule = credentialRule({ target: bytesOfText(name), source, origin: ORIGIN, broker });
  return { ...policy, credentials: [...policy.credentials.filter(({ target }) => target !== rule.target), rule] };
}

/** Only where there is a value: a placeholder must not stand before a log-in that works. */
function withService(policy: Policy, text: string, variables: readonly string[], context: Context): Policy {
  const there = variables.filter((name) => hasValue(name, policy, context));
  if (there.length === 0)
    throw usageError(
      `--broker ${text}: none of ${variables.join(', ')} is set`,
      `set one of them, or say where the value is: --broker ${variables[0]}=vault://NAME@${text}`,
    );
  const broker = ruleFor([text]);
  return there.reduce(
    (before, name) => withRule(before, { name, source: sourceOf(name, policy, context), broker }),
    policy,
  );
}

const hasValue = (name: string, policy: Policy, { env }: Context) =>
  isSet(env.get(bytesOfText(name))) || policy.credentials.some(({ target }) => target === name);

/** The keys that the agent is started with, each for the service that it is a key of. What no service is known for stays outside. */
function withOwnKeys(policy: Policy, parsed: ParsedArguments, context: Context): Policy {
  const next = parsed.rest?.[0] ?? parsed.words[0];
  if (flagValues(parsed, '--agent').length === 0 && next !== undefined && /^[A-Z][A-Z0-9_]*$/.test(next))
    throw noHost(showBytes(next));
  if (flagValues(parsed, '--agent').length === 0)
    throw usageError('--broker alone means the key of an agent, and none is started', FORM);
  const keys = policy.allow.filter(({ extraKey }) => extraKey === true).map(({ pattern }) => showBytes(pattern.source));
  const adapter = agentNamed(parsed, agentConfig(context));
  const there = keysThere(keys, adapter, policy, context);
  const known = there.filter((name) => serviceOfVariable(name) !== undefined);
  const already = policy.credentials
    .filter(({ broker }) => broker !== undefined)
    .map(({ target }) => showBytes(target));
  const left = there.filter((name) => !known.includes(name) && !already.includes(name));
  const logIns = known.length + already.length === 0 ? logInsOf(adapter, context) : [];
  if (known.length + already.length + logIns.length === 0)
    throw usageError(
      `--broker: the agent has no key that could be brokered (${keys.join(', ')}), and no log-in`,
      lostLogIn(adapter, context) ?? adapter.logIn ?? 'set one of them in the environment or the vault',
    );
  const brokered = known
    .filter((name) => !already.includes(name))
    .reduce(
      (before, name) =>
        withRule(before, {
          name,
          source: sourceOf(name, policy, context),
          broker: ruleFor([`@${serviceOfVariable(name)}`]),
        }),
      policy,
    );
  const rest = withoutLogIn(withoutKeys(brokered, left), adapter, context);
  return logIns.length > 0 ? { ...rest, logIns } : rest;
}

/** Those that it is started with; where there are none, those that it takes a log-in from. */
function keysThere(keys: readonly string[], { name }: Adapter, policy: Policy, context: Context): string[] {
  const set = (names: readonly string[]) => names.filter((one) => hasValue(one, policy, context));
  const own = set(keys);
  return own.length > 0 || !isLogInName(name) ? own : set(logInOf(name).variables);
}

/** The log-ins of the agent's own, in files of a kind that is known. */
function logInsOf({ name, logInFiles = [] }: Adapter, { env, folders }: Context): LogInRule[] {
  if (!isLogInName(name)) return [];
  return placesThere(logInFiles, env).map((path) => {
    const file = realpathSync(path);
    const { state } = folders;
    const vaulted = state !== undefined && isMarkedFile(file, name) ? vaultedPlace(state, name, file) : undefined;
    return { agent: name, path, file, origin: ORIGIN, vaulted };
  });
}

/** One in the vault, whose file with marks somebody removed. */
function lostLogIn({ name, logInFiles = [] }: Adapter, { env, folders: { state } }: Context): string | undefined {
  if (!isLogInName(name) || state === undefined) return undefined;
  const places = placesOfAgent(logInFiles, env).map((path) => vaultedPlace(state, name, throughLinks(path)).file);
  return places.some((file) => existsSync(file))
    ? `the vault has a log-in, whose file is gone: cordon creds take ${name} puts that back`
    : undefined;
}

/** A log-in in a file is a key too: of the real one nothing is inside. */
function withoutLogIn(policy: Policy, { logInFiles = [] }: Adapter, context: Context): Policy {
  const files = placesThere(logInFiles, context.env);
  const { expose, hide } = policy.filesystem;
  const filesystem = {
    ...policy.filesystem,
    expose: expose.filter((path) => !files.includes(path)),
    hide: [...hide, ...files],
  };
  return { ...policy, filesystem };
}

function withoutKeys(policy: Policy, names: readonly string[]): Policy {
  if (names.length === 0) return policy;
  const stays = ({ pattern }: Policy['allow'][number]) => !names.includes(showBytes(pattern.source));
  return {
    ...policy,
    allow: policy.allow.filter(stays),
    credentials: policy.credentials.filter(({ target }) => !names.includes(showBytes(target))),
    warnings: [
      ...policy.warnings,
      `${names.join(', ')} stays outside: no service is known for it; --broker NAME@HOST names its host`,
    ],
  };
}
