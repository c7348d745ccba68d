import type { Bytes } from '../../host/bytes.ts';
import { looksRandom } from './random.ts';

const WEB_SCHEMES = ['http', 'https', 'ws', 'wss'];
const LOGIN = /^[A-Za-z_][A-Za-z0-9_.-]{0,31}$/;
const IMAGE_DIGEST = /^sha(?:1|256|512):/;
const UP_TO_AT = /:\/\/([^\s"'`<>@]{1,256})@/g;

/**
 * `scheme://user:password@host` or `https://token@host` anywhere in a value. A login name alone is no credential
 * where logins are public (`ssh://git@host`); in a web address it may be the token itself.
 */
export function hasUserinfo(value: Bytes): boolean {
  if (!value.includes('://') || !value.includes('@')) return false;
  for (const match of value.matchAll(UP_TO_AT)) {
    const [all, text = ''] = match;
    const end = match.index + all.length;
    if (IMAGE_DIGEST.test(value.slice(end, end + 8))) continue;
    if (isCredential(schemeBefore(value, match.index), text) || isLastCredential(text)) return true;
  }
  return false;
}

/** A list of addresses has no `@` before the one that carries a login. */
function isLastCredential(text: string): boolean {
  const separator = text.lastIndexOf('://');
  return separator !== -1 && isCredential(schemeBefore(text, separator), text.slice(separator + 3));
}

function schemeBefore(text: string, end: number): string {
  return /[A-Za-z][A-Za-z0-9+.-]{0,31}$/.exec(text.slice(Math.max(0, end - 32), end))?.[0].toLowerCase() ?? '';
}

function isCredential(scheme: string, beforeAt: string): boolean {
  if (isInPath(beforeAt)) return false;
  const [user = '', password = ''] = beforeAt.split(/:(.*)/s);
  if (password !== '') return true;
  if (user === '' || user === 'git') return false;
  return WEB_SCHEMES.some((web) => scheme.endsWith(web)) || !LOGIN.test(user) || looksRandom(user);
}

/** The `@` of `http://host:80/@scope`. A raw `/`, `?` or `#` after `user:` is a password as people write it. */
function isInPath(beforeAt: string): boolean {
  const authority = /^[^/?#\\]{0,256}/.exec(beforeAt)?.[0] ?? '';
  if (authority === beforeAt) return false;
  return authority.startsWith('[') || !authority.includes(':') || /:[0-9]{0,5}$/.test(authority);
}

/** Proxy settings are read without a scheme too (`user:password@proxy:3128`). */
export function hasProxyUserinfo(value: Bytes, name: Bytes): boolean {
  return name.toUpperCase().includes('PROXY') && /[^\s,/@]@[^\s,/@]/.test(value);
}
