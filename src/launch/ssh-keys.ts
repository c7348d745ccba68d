import { createHmac } from 'node:crypto';
import { readFileSync, realpathSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import type { SshHost, SshKey, SshSettings } from '../broker/ssh-agent.ts';
import { fingerprintOf } from '../broker/ssh-wire.ts';
import { bytesOfText, textOfBytes } from '../host/bytes.ts';
import { CordonError } from '../host/errors.ts';
import { isWithin } from '../host/folders.ts';
import type { ParentEnv } from '../host/parent-env.ts';
import type { BrokerHost } from '../policy/broker.ts';
import type { FilesystemPolicy, Policy } from '../policy/policy.ts';
import type { SshRule } from '../policy/ssh.ts';

/** Where the socket is inside: in a folder that is the command's own. */
const AGENT_SOCKET = '/run/cordon-ssh-agent';
const VARIABLE = bytesOfText('SSH_AUTH_SOCK');

/** Which keys of the agent the command sees, and the keys by which the hosts are known that it may log in to. */
export function sshSettings(policy: Policy, rules: readonly SshRule[], env: ParentEnv): SshSettings {
  const [{ origin }] = rules as [SshRule];
  const agent = textOfBytes(env.get(VARIABLE) ?? bytesOfText(''));
  if (agent?.startsWith('/') !== true)
    throw new CordonError('credential', 'there is no ssh-agent: SSH_AUTH_SOCK names none', {
      where: origin,
      hint: 'start one: eval "$(ssh-agent)" && ssh-add',
    });
  if (isOfTheMachine(policy.filesystem))
    throw new CordonError('policy', "the command's agent needs a place of its own, and /run is that of the machine", {
      where: origin,
      hint: 'leave out --fs all, and --write and --expose for / and /run',
    });
  if (policy.network.mode === 'off')
    throw new CordonError('policy', 'no host of ssh can be reached with the network off', {
      where: origin,
      hint: 'leave out --net off: the host is then the only one beside registries and code hosts, or what --net names',
    });
  const homes = homesOf(env);
  const lines = knownHosts(homes);
  return {
    socket: AGENT_SOCKET,
    agent,
    keys: rules.map(({ key, hosts }) => ({
      ...keyNamed(key, homes),
      hosts: hosts.map((host) => hostIn(lines, host, origin)),
    })),
  };
}

/** What is let through as it is outside would have the socket outside. */
function isOfTheMachine({ preset, write, expose }: FilesystemPolicy): boolean {
  return preset === 'all' || [...write, ...expose].some((path) => isWithin(AGENT_SOCKET, realOf(path)));
}

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** ssh itself goes by the user database, most other programs by the variable. */
function homesOf(env: ParentEnv): string[] {
  const home = textOfBytes(env.get(bytesOfText('HOME')) ?? bytesOfText(''));
  return [...new Set([home, userInfo().homedir])].filter((one): one is string => one?.startsWith('/') === true);
}

function keyNamed(name: string, homes: readonly string[]): Omit<SshKey, 'hosts'> {
  if (name.startsWith('SHA256:')) return { name, fingerprint: name };
  const file = name.replace(/\.pub$/, '');
  const places = file.startsWith('/')
    ? [file]
    : homes.map((home) => join(home, file.startsWith('~/') ? file.slice(2) : `.ssh/${file}`));
  const [text] = places.flatMap((place) => textAt(`${place}.pub`) ?? []);
  const blob = text?.trim().split(/\s+/)[1];
  return blob === undefined
    ? { name, comment: name }
    : { name, fingerprint: fingerprintOf(Buffer.from(blob, 'base64')) };
}

interface KnownHost {
  readonly marker: string | undefined;
  readonly patterns: string;
  readonly key: string;
}

function knownHosts(homes: readonly string[]): KnownHost[] {
  const files = [
    ...homes.flatMap((home) => ['known_hosts', 'known_hosts2'].map((name) => join(home, '.ssh', name))),
    '/etc/ssh/ssh_known_hosts',
    '/etc/ssh/ssh_known_hosts2',
  ];
  return files.flatMap((file) => (textAt(file) ?? '').split('\n').flatMap(lineOf));
}

function lineOf(line: string): KnownHost[] {
  const [, marker, patterns, key] = /^\s*(?:(@\S+)\s+)?([^#@\s]\S*)\s+\S+\s+([A-Za-z0-9+/=]+)(?:\s|$)/.exec(line) ?? [];
  return patterns === undefined || key === undefined ? [] : [{ marker, patterns, key }];
}

/** A host that nobody has ever logged in to has no key that it could be known by. */
function hostIn(lines: readonly KnownHost[], { name, port }: BrokerHost, origin: string): SshHost {
  const written = port === 22 ? name : `[${name}]:${port}`;
  const matching = lines.filter(({ patterns }) => covers(patterns, written));
  const revoked = new Set(lines.filter(({ marker }) => marker === '@revoked').map(({ key }) => key));
  const keys = matching.filter(({ marker, key }) => marker === undefined && !revoked.has(key)).map(({ key }) => key);
  if (keys.length > 0) return { name, port, keys: [...new Set(keys)] };
  throw new CordonError('credential', `no key of the host ${written} is known, so that nobody could prove to be it`, {
    where: origin,
    hint: `log in once outside, or write it down: ssh-keyscan${port === 22 ? '' : ` -p ${port}`} ${name}, into ~/.ssh/known_hosts`,
  });
}

function covers(patterns: string, host: string): boolean {
  const [, salt, hash] = /^\|1\|([^|]+)\|([^|]+)$/.exec(patterns) ?? [];
  if (salt !== undefined) return createHmac('sha1', Buffer.from(salt, 'base64')).update(host).digest('base64') === hash;
  const all = patterns.toLowerCase().split(',');
  const meets = (pattern: string) =>
    new RegExp(
      `^${pattern
        .replace(/[.+^${}()|[\]\\]/g, '\\$&')
        .replaceAll('*', '.*')
        .replaceAll('?', '.')}$`,
    ).test(host);
  return (
    all.some((one) => !one.startsWith('!') && meets(one)) &&
    !all.some((one) => one.startsWith('!') && meets(one.slice(1)))
  );
}

function textAt(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return undefined;
  }
}
