import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { newAuthority } from '../broker/authority.ts';
import type { Held } from '../broker/held.ts';
import { rememberPlaceholders } from '../broker/known-placeholders.ts';
import { type LogInFields, type LogInFile, readLogIn, shownFields, textAt as textIn } from '../broker/log-in-file.ts';
import { logInPlaceholder, placeholdersFor, refuseUnbrokered } from '../broker/placeholder.ts';
import type { BrokerSettings, Terminal } from '../broker/settings.ts';
import type { SshSettings } from '../broker/ssh-agent.ts';
import { type Bytes, bytesOfText, showBytes, textOfBytes } from '../host/bytes.ts';
import { CordonError } from '../host/errors.ts';
import { foldersOf, homesOf, isWithin, workingFolder } from '../host/folders.ts';
import type { ParentEnv } from '../host/parent-env.ts';
import { statOf } from '../host/session.ts';
import { type BrokerHost, type BrokerRule, showHost } from '../policy/broker.ts';
import { mintsFor, shapesFor, tokenRule } from '../policy/broker-rule.ts';
import { type LogInRule, logInOf } from '../policy/log-ins.ts';
import { type HostRule, type NetworkPolicy, parseHost, uniqueHosts, verdictOn } from '../policy/network/rules.ts';
import type { CredentialRule, Policy, SetRule } from '../policy/policy.ts';
import type { SshRule } from '../policy/ssh.ts';
import { Secret } from '../secrets/secret.ts';
import { sshSettings } from './ssh-keys.ts';

export interface Brokered {
  /** With what makes programs trust the certificates of this launch. */
  readonly policy: Policy;
  /** Placeholders where values are brokered. */
  readonly credentials: ReadonlyMap<Bytes, Secret>;
  readonly broker: LaunchBroker;
}

export interface LaunchBroker {
  /** What they stand for, to be found in output. */
  readonly values: ReadonlyMap<Bytes, Secret>;
  /** The variables that hold one. */
  readonly placeholders: ReadonlySet<Bytes>;
  /** For the process outside, over a pipe: it has the values and the key of the CA. */
  readonly settings?: BrokerSettings | undefined;
  /** For the same: which keys of the user's agent are for which hosts. */
  readonly ssh?: SshSettings | undefined;
  /** In a container: what is trusted there beside what its image has in these places, the first of which programs are told. */
  readonly certificates?: Certificates | undefined;
  /** What stands over the bundles of the system, inside. */
  readonly files: readonly { readonly path: string; readonly text: Bytes }[];
  /** Log-ins of an agent, with placeholders: in the places of the files that hold the tokens. */
  readonly logIns?: readonly { readonly path: string; readonly text: Bytes }[] | undefined;
}

export interface Certificates {
  readonly text: Bytes;
  readonly paths: readonly [string, ...string[]];
  /** An image may name more by these variables. */
  readonly variables: readonly string[];
}

/** In a folder that is the command's own in every container. */
const BUNDLE_INSIDE = '/run/cordon-certificates.pem';

/** Where systems keep the certificates they trust: Debian, Fedora, SUSE, Alpine and BSD. */
const BUNDLES = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem',
  '/etc/ssl/ca-bundle.pem',
  '/var/lib/ca-certificates/ca-bundle.pem',
  '/etc/ssl/cert.pem',
];

/** What programs are told their certificates by. All but Node's replace what they know, so the bundle has everything. */
const CA_VARIABLES =
  'NODE_EXTRA_CA_CERTS SSL_CERT_FILE CURL_CA_BUNDLE REQUESTS_CA_BUNDLE PIP_CERT GIT_SSL_CAINFO AWS_CA_BUNDLE CARGO_HTTP_CAINFO DENO_CERT CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE NIX_SSL_CERT_FILE BUNDLE_SSL_CA_CERT npm_config_cafile CODEX_CA_CERTIFICATE'.split(
    ' ',
  );

/** Where the command runs: on this machine, whose files are known, or in an image. */
export type Where = 'here' | 'in an image';

type BrokeredRule = CredentialRule & { readonly broker: BrokerRule };

const isBrokered = (rule: CredentialRule): rule is BrokeredRule => rule.broker !== undefined;

/** What is brokered of a launch: credentials, and keys of the user's agent. */
export function brokered(
  policy: Policy,
  credentials: ReadonlyMap<Bytes, Secret>,
  env: ParentEnv,
  { rehearsal = false, where = 'here' }: { readonly rehearsal?: boolean; readonly where?: Where } = {},
): Brokered {
  const held =
    policy.credentials.some(isBrokered) || policy.logIns !== undefined
      ? withPlaceholders(policy, credentials, { env, rehearsal, where })
      : {
          policy,
          credentials,
          broker: { values: new Map<Bytes, Secret>(), placeholders: new Set<Bytes>(), files: [] },
        };
  return policy.ssh === undefined ? held : withKeys(held, policy.ssh, env);
}

/** What was made up here is known as such later, wherever the command left it. */
export function remembered(held: Brokered, env: ParentEnv): Brokered {
  const { state } = foldersOf(env);
  const made = held.broker.settings?.held.map(({ placeholder }) => placeholder) ?? [];
  if (state !== undefined) rememberPlaceholders(state, made);
  return held;
}

function withKeys({ policy, credentials, broker }: Brokered, rules: readonly SshRule[], env: ParentEnv): Brokered {
  const ssh = sshSettings(policy, rules, env);
  const set = { name: bytesOfText('SSH_AUTH_SOCK'), value: bytesOfText(ssh.socket), origin: 'broker' };
  const hosts = rules.flatMap((rule) => rule.hosts);
  return {
    policy: { ...policy, set: [...policy.set, set], network: networkFor(policy.network, hosts) },
    credentials,
    broker: { ...broker, ssh },
  };
}

/** Takes the values out of a launch and leaves placeholders: from here on they go to the process outside, and nowhere else. */
function withPlaceholders(
  policy: Policy,
  given: ReadonlyMap<Bytes, Secret>,
  { env, rehearsal, where }: Around & { readonly where: Where },
): Brokered {
  const { credentials, keys } = withoutLogInKeys(policy, given);
  const rules = policy.credentials.filter(isBrokered).filter(({ target }) => credentials.has(target));
  const values = new Map(rules.map(({ target }) => [target, credentials.get(target) as Secret]));
  for (const { target, origin } of rules) refuseUnbrokered(target, values.get(target) as Secret, origin);
  const placeholders = placeholdersFor(values);
  const held = rules.map(
    ({ target, broker }): Held => ({
      name: showBytes(target),
      placeholder: placeholders.get(target) as string,
      value: (values.get(target) as Secret).reveal(),
      rule: broker,
    }),
  );
  const logIns = heldLogIns(policy, held, { env, rehearsal, keys });
  const all = [...held, ...logIns.held];
  const agents = (policy.logIns ?? []).map(({ agent }) => agent);
  const ruled = all.map(({ rule }) => rule);
  const mints = mintsFor(ruled, agents);
  // Where what is handed out later is good for.
  const later = mints.flatMap(({ logIn, rule }) => [
    ...(logIn === undefined ? [] : logInOf(logIn).tokens.flatMap((token) => tokenRule(logIn, token).hosts)),
    ...(rule?.hosts ?? []),
  ]);
  const hosts = all.flatMap(({ rule }) => rule.hosts);
  const authority = newAuthority([...hosts, ...mints.map(({ host }) => host), ...later]);
  const trusted = trustedOutside(env);
  const text = bytesOfText([...trusted.texts, authority.certificate].join('\n'));
  const isHere = where === 'here';
  return {
    policy: {
      ...policy,
      set: [...policy.set, ...trustRules(isHere ? trusted.bundles[0] : BUNDLE_INSIDE)],
      network: networkFor(policy.network, hosts),
    },
    credentials: new Map([
      ...credentials,
      ...[...placeholders].map(([name, one]): [Bytes, Secret] => [name, new Secret(one)]),
    ]),
    broker: {
      values: new Map([...values, ...logIns.values]),
      placeholders: new Set(placeholders.keys()),
      settings: {
        held: all,
        authority,
        trust: trusted.texts,
        mints,
        shapes: shapesFor(ruled, agents),
        logIns: (policy.logIns ?? []).map(({ agent, file, vaulted }) =>
          vaulted === undefined ? { agent, file } : { agent, file: vaulted.file, key: keys.get(vaulted.entry) },
        ),
        terminal: terminalOfLaunch(),
      },
      logIns: logIns.files,
      files: isHere ? trusted.bundles.map((path) => ({ path, text })) : [],
      ...(isHere ? {} : { certificates: { text, paths: [BUNDLE_INSIDE, ...BUNDLES], variables: CA_VARIABLES } }),
    },
  };
}

interface Around {
  readonly env: ParentEnv;
  readonly rehearsal: boolean;
}

interface HeldLogIns {
  readonly held: readonly Held[];
  readonly values: readonly (readonly [Bytes, Secret])[];
  readonly files: readonly { readonly path: string; readonly text: Bytes }[];
}

/** Takes the tokens out of the files that agents, or the vault, keep log-ins in. */
function heldLogIns(
  { logIns = [], filesystem }: Policy,
  known: readonly Held[],
  { env, rehearsal, keys }: Around & { readonly keys: LogInKeys },
): HeldLogIns {
  const held: Held[] = [];
  const files = logIns.map((rule, id) => {
    refuseShown(filesystem, rule, env);
    const { agent, file, path } = rule;
    const { fields, text } = logInIn(rule, rehearsal ? undefined : keys);
    const placeholders = new Map<string, string>();
    for (const token of logInOf(agent).tokens) {
      const value = textIn(fields, token.at);
      if (value === undefined) continue;
      const name = `${agent}.${token.field ?? token.at}` as Bytes;
      const secret = new Secret(bytesOfText(value));
      refuseUnbrokered(name, secret, file);
      const taken = [...known, ...held].flatMap((one) => [one.placeholder, one.value]);
      const placeholder = logInPlaceholder(name, secret, [...taken, secret.reveal()]);
      placeholders.set(token.at, placeholder);
      const rule = tokenRule(agent, token);
      held.push({ name, placeholder, value: secret.reveal(), rule, logIn: { id, at: token.at } });
    }
    if (placeholders.size === 0) throw unusable(rule, 'it holds no token that is known');
    const shown = JSON.stringify(shownFields(fields, logInOf(agent), placeholders), null, 2);
    return { path, text: bytesOfText(text.endsWith('\n') ? `${shown}\n` : shown) };
  });
  const both = held.flatMap(({ name, placeholder, value }) => [
    [name as Bytes, new Secret(value as Bytes)] as const,
    [`${name} (placeholder)` as Bytes, new Secret(placeholder as Bytes)] as const,
  ]);
  return { held, values: both, files };
}

type LogInKeys = ReadonlyMap<string, string>;

/** What opens log-ins in the vault is no credential of the launch. */
function withoutLogInKeys({ logIns = [] }: Policy, given: ReadonlyMap<Bytes, Secret>) {
  const entries = logIns.flatMap(({ vaulted }) => (vaulted === undefined ? [] : [vaulted.entry]));
  const keys = new Map(
    entries.flatMap((entry): [string, string][] => {
      const key = given.get(bytesOfText(entry));
      return key === undefined ? [] : [[entry, key.reveal()]];
    }),
  );
  return { keys, credentials: new Map([...given].filter(([name]) => !entries.includes(showBytes(name)))) };
}

/** A rehearsal opens no vault: the marks in the agent's own file stand in for the tokens. */
function logInIn(rule: LogInRule, keys: LogInKeys | undefined): LogInFile & { readonly fields: LogInFields } {
  const vaulted = keys === undefined ? undefined : rule.vaulted;
  try {
    return vaulted === undefined ? readLogIn(rule.file) : readLogIn(vaulted.file, keys?.get(vaulted.entry) ?? '');
  } catch (error) {
    const { code = vaulted === undefined ? 'it is no JSON object of a few kilobytes' : UNOPENED } =
      error as NodeJS.ErrnoException;
    throw unusable(rule, code);
  }
}

const UNOPENED = 'what the vault has of it was changed, or belongs to another key';

const unusable = ({ agent, file, vaulted }: LogInRule, why: string) =>
  new CordonError('credential', `the log-in of ${agent} can't be brokered: ${why}`, {
    where: vaulted?.file ?? file,
    hint: `log in again outside, or start ${agent} with a key`,
  });

/**
 * Where files are as they are outside, the log-in would be too. A cover over one file is no help: it goes with the file, which is replaced at
 * every renewal. In the layer of a home, or of a folder of settings that was moved, nothing that happens outside shows the new one; a home
 * that is read, or stood in, is one.
 */
function refuseShown(
  { preset, ...places }: Policy['filesystem'],
  { file, path, origin }: LogInRule,
  env: ParentEnv,
): void {
  const homes = Object.values(homesOf(env)).flatMap((home) => (home === undefined ? [] : [home, realOf(home) ?? home]));
  const isLayered = file === path || homes.some((home) => isWithin(file, home));
  const isHome = (place: string) => homes.some((home) => isWithin(home, place));
  const seen = [...places.read, ...workspaceOf(places.workspace)].filter((one) => !isHome(one));
  const open = [...places.write, ...places.expose, ...seen].find((one) =>
    [file, path].some((place) => isWithin(place, one)),
  );
  if (preset !== 'all' && isLayered && open === undefined) return;
  const away =
    open === undefined ? `keep it in the home: ${path} leads to ${file}` : `show nothing that it lies in: ${open}`;
  throw new CordonError('policy', `a brokered log-in has a file of its own, and ${path} would be the real one`, {
    where: origin,
    hint: preset === 'all' ? 'leave out --fs all' : away,
  });
}

/** Found from the working folder as a rule: its repository, or itself. */
function workspaceOf({ folder = workingFolder() }: Policy['filesystem']['workspace']): string[] {
  const above = (one: string): string[] => (one === dirname(one) ? [] : [one, ...above(dirname(one))]);
  const repository = above(folder).find((one) => existsSync(join(one, '.git')));
  return repository === undefined ? [folder] : [folder, repository];
}

/** Package registries and code hosts, which most work needs and which no credential is read from. */
const USUAL = ['@npm', '@pypi', '@crates', '@go', '@maven', '@rubygems', '@nuget', '@github', '@gitlab', '@bitbucket'];

/** By name, since nobody stands in the way of a network that is simply there; off stays off. What is brokered can be reached. */
function networkFor(network: NetworkPolicy, hosts: readonly BrokerHost[]): NetworkPolicy {
  if (network.mode === 'off') return network;
  const usual =
    network.mode === 'on' ? [...(network.own ?? []), ...USUAL.flatMap((set) => hostRules(set))] : network.allow;
  const named: NetworkPolicy = { ...network, mode: network.mode === 'on' ? 'names' : network.mode, allow: usual };
  const missing = hosts.filter(({ name, port }) => !verdictOn(named, name, port).allowed);
  return { ...named, allow: uniqueHosts([...named.allow, ...missing.flatMap((host) => hostRules(showHost(host)))]) };
}

function hostRules(text: string): readonly HostRule[] {
  const parsed = parseHost(text, 'broker');
  if ('problem' in parsed) throw new CordonError('policy', parsed.problem, { hint: parsed.hint });
  return parsed.rules;
}

function trustRules(path: string): SetRule[] {
  return CA_VARIABLES.map((name) => ({ name: bytesOfText(name), value: bytesOfText(path), origin: 'broker' }));
}

interface Trusted {
  readonly texts: readonly string[];
  readonly bundles: readonly [string, ...string[]];
}

/** The system's store and the files that the user's own environment names, for companies with a CA of their own. */
function trustedOutside(env: ParentEnv): Trusted {
  const there = BUNDLES.flatMap((path) => realOf(path) ?? []);
  const bundles = [...new Set(there)];
  const system = bundles.flatMap((path) => textAt(path) ?? []);
  const named = CA_VARIABLES.flatMap((name) => textOfBytes(env.get(bytesOfText(name)) ?? ('' as Bytes)) ?? []);
  const own = [...new Set(named)].filter((path) => path.startsWith('/') && !bundles.includes(realOf(path) ?? path));
  const [first = BUNDLES[0] as string, ...others] = bundles;
  const texts = [system[0] ?? rootCertificates.join('\n'), ...own.flatMap((path) => textAt(path) ?? [])];
  return { texts, bundles: [first, ...others] };
}

function realOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

const LARGEST_BUNDLE = 4 << 20;

function textAt(path: string): string | undefined {
  try {
    const text = readFileSync(path, 'latin1');
    return text.length <= LARGEST_BUNDLE && text.includes('-----BEGIN CERTIFICATE-----') ? text : undefined;
  } catch {
    return undefined;
  }
}

/** The terminal that this process was started from, wherever its output goes; undefined where there is none. */
function terminalOfLaunch(): Terminal | undefined {
  try {
    const number = Number(statOf('self')[4] ?? 0);
    const path = number === 0 ? undefined : pathOf((number >> 8) & 0xfff, (number & 0xff) | ((number >> 12) & 0xfff00));
    if (path === undefined) return undefined;
    const { rdev } = statSync(path);
    return { path, device: rdev };
  } catch {
    return undefined;
  }
}

const PSEUDO_TERMINALS = 136;
const CONSOLES = 4;
const FIRST_SERIAL = 64;

function pathOf(major: number, minor: number): string | undefined {
  if (major === PSEUDO_TERMINALS) return `/dev/pts/${minor}`;
  if (major !== CONSOLES) return undefined;
  return minor < FIRST_SERIAL ? `/dev/tty${minor}` : `/dev/ttyS${minor - FIRST_SERIAL}`;
}
