import { type BrokerHost, type Parsed, parseBrokerHost } from './broker.ts';
import type { Origin } from './policy.ts';

/** A key of the user's ssh-agent, and the hosts that the command may log in to with it. */
export interface SshRule {
  /** As it is written: a fingerprint, the name of its file, or its comment. */
  readonly key: string;
  readonly hosts: readonly BrokerHost[];
  readonly origin: Origin;
}

const SSH_PORT = 22;

/** `KEY@HOST[,HOST]`; a comment may have an @ of its own. */
export function parseSshRule(text: string, origin: Origin): Parsed<SshRule> {
  const at = text.lastIndexOf('@');
  const [key, named] = [text.slice(0, at), text.slice(at + 1)];
  if (at < 1 || named === '')
    return {
      problem: `'ssh:${text}' names no key and host`,
      hint: 'write ssh:KEY@HOST; KEY is what `ssh-add -l` shows: a fingerprint or a comment, or a file such as id_ed25519',
    };
  const hosts: BrokerHost[] = [];
  for (const one of named.split(',')) {
    const parsed = parseSshHost(one);
    if ('problem' in parsed) return parsed;
    hosts.push(parsed.value);
  }
  return { value: { key, hosts, origin } };
}

export function parseSshHost(text: string): Parsed<BrokerHost> {
  const parsed = parseBrokerHost(text);
  if ('problem' in parsed) return parsed;
  if (parsed.value.below) return { problem: `'${text}' is not one host: what proves a host of ssh is its own key` };
  return /:[0-9]+$/.test(text) ? parsed : { value: { ...parsed.value, port: SSH_PORT } };
}

export const showSshHost = ({ name, port }: BrokerHost) => (port === SSH_PORT ? name : `${name}:${port}`);
