import { guardName, guardValue } from '../../decide/guard/index.ts';
import type { Bytes } from '../../host/bytes.ts';
import { refuse } from './judge.ts';

/** Which agent is asked is for the policy to say, and a socket that a file names would not be there. */
const AGENTS = /^\s*(?:IdentityAgent|PKCS11Provider|SecurityKeyProvider|AddKeysToAgent|ForwardAgent)(?:\s|=)/i;

const SETTING = /^\s*([A-Za-z][A-Za-z0-9]{1,40})(?:\s+|\s*=\s*)(\S.*)$/;

/** The configuration of ssh without agents. It names hosts, users and files; what looks like a credential in it goes too. */
export function cleanSshConfig(text: string): string {
  const lines = text.split(/\r?\n/).filter((line) => !/^\s*(?:#.*)?$/.test(line));
  const kept = lines.filter((line) => {
    const [, keyword = '', value = ''] = SETTING.exec(line) ?? refuse();
    const isSecret = guardValue(keyword as Bytes, value as Bytes) !== undefined;
    return !AGENTS.test(line) && !isSecret && !(/^setenv$/i.test(keyword) && guardName(value as Bytes) !== undefined);
  });
  return kept.length === 0 ? '' : `${kept.join('\n')}\n`;
}

/** Lines of known_hosts: names, perhaps hashed or marked, a kind of key and the key itself, which is public. */
const KNOWN_HOST = /^(?:@(?:cert-authority|revoked)\s+)?\S+\s+(?:ssh-|ecdsa-|sk-)[\w@.-]+\s+[A-Za-z0-9+/=]+(?:\s.*)?$/;
const PUBLIC_KEY = /^(?:ssh-|ecdsa-|sk-)[\w@.-]+\s+[A-Za-z0-9+/=]+(?:\s[^\n]*)?$/;

export const cleanKnownHosts = (text: string) => onlyLines(text, KNOWN_HOST);
export const cleanPublicKey = (text: string) => {
  const lines = onlyLines(text, PUBLIC_KEY);
  return lines === '' ? refuse() : lines;
};

function onlyLines(text: string, form: RegExp): string {
  const lines = text.split(/\r?\n/).filter((line) => form.test(line));
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
}

const CERTIFICATE = /-----BEGIN (TRUSTED )?CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END \1?CERTIFICATE-----/g;

/** The certificates of a file, and nothing else that lies in it. */
export function onlyCertificates(text: string): string {
  const found = text.match(CERTIFICATE);
  return found === null ? refuse() : `${found.join('\n')}\n`;
}
