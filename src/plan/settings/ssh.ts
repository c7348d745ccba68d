import { guardName, guardValue, isHarmless } from '../../decide/guard/index.ts';
import type { Bytes } from '../../host/bytes.ts';
import { withoutLogIns } from './address.ts';
import { handsOver, refuse } from './judge.ts';

/** Which agent is asked is for the policy to say, and a socket that a file names would not be there. */
const AGENTS = /^\s*(?:IdentityAgent|PKCS11Provider|SecurityKeyProvider|AddKeysToAgent|ForwardAgent)(?:\s|=)/i;

const SETTING = /^\s*([A-Za-z][A-Za-z0-9]{1,40})(?:\s+|\s*=\s*)(\S.*)$/;

const BLOCK = /^(?:host|match)$/i;
const COMMAND = /^(?:\w*command|match)$/i;

/** The configuration of ssh without agents. It names hosts, users and files; what looks like a credential in it goes too. */
export function cleanSshConfig(text: string): string {
  let isLeftOut = false;
  const lines = text.split(/\r?\n/).filter((line) => !/^\s*(?:#.*)?$/.test(line));
  const kept = lines.flatMap((line) => {
    const [, keyword = '', value = ''] = SETTING.exec(line) ?? refuse();
    const isFit = isFitting(keyword, value);
    // Without its first line what a block says would be said of the one before it.
    if (BLOCK.test(keyword)) isLeftOut = !isFit;
    return isLeftOut || !isFit || AGENTS.test(line) ? [] : [withoutLogIns(line)];
  });
  return kept.length === 0 ? '' : `${kept.join('\n')}\n`;
}

function isFitting(keyword: string, value: string): boolean {
  const plain = withoutLogIns(value);
  // Who logs in at the host between is no password, as it may be at a proxy.
  const name = /^proxyjump$/i.test(keyword) ? '' : keyword;
  if (guardValue(name as Bytes, plain as Bytes) !== undefined) return false;
  if (/^setenv$/i.test(keyword)) return variablesIn(value).every(([name, text]) => isNoSecret(name, text));
  return !COMMAND.test(keyword) || (!handsOver(plain) && variablesIn(plain).every(([, text]) => isHarmless(text)));
}

const variablesIn = (text: string) =>
  [...text.matchAll(/(?:^|[\s"'])([A-Za-z_]\w*)=(\S*)/g)].map(([, name = '', value = '']) => [name, value] as const);

const isNoSecret = (name: string, value: string) =>
  guardName(name as Bytes) === undefined && (/^(?:LANG|LC_\w+|TERM|COLORTERM|TZ)$/.test(name) || isHarmless(value));

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
