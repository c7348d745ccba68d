import type { Bytes } from '../../../host/bytes.ts';
import type { ReadingRule } from '../finding.ts';

/** Credentials that show by where they stand: in an address, after a header's name, after `password=`, under a telling name. */
export const CONTEXTS: readonly ReadingRule[] = [
  { id: 'url-userinfo', what: 'a credential in an address', test: (value) => hasUserinfo(value) },
  { id: 'proxy-userinfo', what: 'a credential for the proxy', test: hasProxyUserinfo },
  { id: 'npm-auth', what: 'an npm registry credential', test: isNpmAuth },
  { id: 'web-token', what: 'a signed web token', test: (value) => hasWebToken(value) },
  { id: 'auth-header', what: 'an authorization header', test: hasAuthHeader },
  { id: 'assigned-credential', what: 'a setting that assigns a credential', test: hasAssignedCredential },
  { id: 'login-argument', what: 'a login in a command line', test: hasLoginArgument },
];

/** npm reads these from the environment in any case, also scoped to a registry (`npm_config_//host/:_auth`). */
function isNpmAuth(value: Bytes, name: Bytes): boolean {
  const lower = name.toLowerCase();
  if (value === '' || !lower.startsWith('npm_config_')) return false;
  return ['_auth', '_authtoken', '_password', 'otp'].includes(lower.slice(Math.max(11, lower.lastIndexOf(':') + 1)));
}

const BEARER = /(?:bearer|^token)[ +]{1,4}(?=[^\s"',;]{0,64}[0-9])[A-Za-z0-9._~+/=-]{16}/i;
const HEADERS = [
  ...['authorization', 'api-key', 'api_key', 'auth-token', 'private-token', 'job-token', 'x-honeycomb-team'],
];
const HEADER = new RegExp(
  String.raw`(?:${HEADERS.join('|')})["']?\s{0,3}[:=]\s{0,3}["']?(?:token |apikey )?(?=[^\s"',;]{0,64}[0-9])[A-Za-z0-9._~+/=-]{16}`,
  'i',
);

function hasAuthHeader(value: Bytes): boolean {
  const lower = value.toLowerCase();
  if (mentions(lower, ['bearer', 'token ']) && BEARER.test(value)) return true;
  if (mentions(lower, HEADERS) && HEADER.test(value)) return true;
  return lower.includes('basic') && hasBasicLogin(value);
}

function hasBasicLogin(value: Bytes): boolean {
  for (const [, encoded = ''] of value.matchAll(/basic[ +]{1,4}([A-Za-z0-9+/=_-]{4,512})/gi))
    if (isLogin(encoded)) return true;
  return false;
}

/** A plain look before a pattern is compiled: in most environments none ever is. */
function mentions(lower: string, words: readonly string[]): boolean {
  return words.some((word) => lower.includes(word));
}

/** base64 of `user:password`. */
function isLogin(encoded: string): boolean {
  return /^[\x20-\x7e]{1,200}:[\x20-\x7e]{0,200}$/.test(Buffer.from(encoded, 'base64').toString('latin1'));
}

const ASSIGNED_NAME =
  /(?:passw(?:or)?d|passphrase|_auth(?:token)?|(?<![a-z])(?:pass|pwd)|secret|secret[_-]?key|access[_-]?key|account[_-]?key|api[_-]?key|private[_-]?key|signing[_-]?key|client-key-data|token|"auth")["']?\s{0,3}[=:]\s{0,3}["']?/gi;
const LONGEST_ASSIGNED = 256;
const SHORTEST_PASSWORD = 3;
const SHORTEST_TOKEN = 12;
const NO_VALUE = /^(?:true|false|null|none|yes|no|[0-9]{1,4}|\*{1,64}|x{1,64}|%[a-z]|<[^>]{0,64}>?|\{\{.{0,64})$/i;
const POINTS_ELSEWHERE =
  /^(?:\$\{[^}]{0,64}|\$\(.{0,64}|\$[A-Z_][A-Z0-9_]{0,64}|%[A-Z_]{2,64}%|\/[\w.-]{1,64}\/.{0,256})$/;

/** `password=…`, `"client_secret": "…"`, `?access_token=…`; what only points elsewhere (`$NAME`, a path, `***`) is no credential. */
function hasAssignedCredential(value: Bytes): boolean {
  if (!/[=:]/.test(value) || !mayAssign(value.toLowerCase())) return false;
  for (const match of value.matchAll(ASSIGNED_NAME)) {
    const start = match.index + match[0].length;
    if (isAssigned(match[0], value.slice(start, start + LONGEST_ASSIGNED))) return true;
  }
  return false;
}

/** Every name of the pattern has one of these in it, and not every `key` is one. */
const mayAssign = (lower: string) =>
  mentions(lower, ['pass', 'pwd', 'auth', 'secret', 'token', 'client-key-data']) ||
  (lower.includes('key') && mentions(lower, ['access', 'account', 'api', 'private', 'signing']));

function isAssigned(assignment: string, rest: string): boolean {
  const assigned = assignedText(assignment, rest);
  const shortest = /pass|pwd|_auth/i.test(assignment) ? SHORTEST_PASSWORD : SHORTEST_TOKEN;
  if (assigned.length < shortest || NO_VALUE.test(assigned) || POINTS_ELSEWHERE.test(assigned)) return false;
  return !isProse(assignment, rest.slice(assigned.length));
}

/** Up to the closing quote, or to what ends a bare word. */
function assignedText(assignment: string, rest: string): string {
  const quote = /["']$/.exec(assignment)?.[0];
  if (quote !== undefined) return rest.split(quote, 1)[0] ?? '';
  return /^[^\s"'&;,}\])]{0,256}/.exec(rest)?.[0] ?? '';
}

/** "the password: see the handbook": a colon, and more words on the same line. */
function isProse(assignment: string, rest: string): boolean {
  return /:\s{1,3}$/.test(assignment) && /^[ \t]{1,4}[^\s#]/.test(rest);
}

const CURL_LOGIN = /(?:^|\s)(?:-u|--user|--proxy-user|-U)[ =]?["']?[^\s:"']{1,64}:[^\s"'/]{2}/;
const ORACLE_LOGIN = /jdbc:oracle:[a-z0-9]{1,10}:[^\s/@:]{1,64}\/[^\s@]{1,128}@/i;
const PASSWORD_ARGUMENT = /sshpass\s{1,4}-p\s{0,4}\S{2}|(?:mysql|mariadb)[^|;&]{0,128}\s-p[^\s-]{2}/;
const NETRC = /machine\s{1,4}\S{1,128}\s{1,4}login\s{1,4}\S{1,128}\s{1,4}password\s{1,4}\S/;

function hasLoginArgument(value: Bytes): boolean {
  if (value.includes('curl') && CURL_LOGIN.test(value)) return true;
  if (value.includes(' -p') && PASSWORD_ARGUMENT.test(value)) return true;
  if (value.includes('machine') && NETRC.test(value)) return true;
  return value.includes('jdbc:oracle:') && ORACLE_LOGIN.test(value);
}

const SHORTEST_HEADER = 12;

/** A header that decodes to JSON with an algorithm, a body and a third part: a signed or encrypted web token. */
function hasWebToken(value: Bytes): boolean {
  if (!value.includes('eyJ')) return false;
  for (const [run] of value.matchAll(/[A-Za-z0-9_.-]+/g))
    if (run.includes('.') && isTokenIn(run.split('.'))) return true;
  return false;
}

function isTokenIn(segments: readonly string[]): boolean {
  return segments.some((segment, i) => {
    const body = segments[i + 1];
    return body !== undefined && body.length >= 2 && segments[i + 2] !== undefined && isHeader(segment);
  });
}

function isHeader(segment: string): boolean {
  const start = segment.indexOf('eyJ');
  if (start === -1 || segment.length - start < SHORTEST_HEADER) return false;
  const json = Buffer.from(segment.slice(start, start + 4096), 'base64url').toString('latin1');
  return /"(?:alg|enc|typ|kid)"/.test(json);
}

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
function hasProxyUserinfo(value: Bytes, name: Bytes): boolean {
  return name.toUpperCase().includes('PROXY') && /[^\s,/@]@[^\s,/@]/.test(value);
}

const SHORTEST = 16;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const PATH_LIKE = /^(?:[~.]{0,2}\/|[A-Za-z]:[\\/])/;
const SEPARATORS_OF_TEXT = /[\s,;|<>(){}[\]"'`\\]|:\/\//;

/**
 * Whether the whole value looks like the output of a generator rather than something a person wrote.
 * Words, paths and versions change between letters, digits and cases seldom; random text does so all the time.
 */
export function looksRandom(value: string): boolean {
  if (value.length < SHORTEST || value.length > 4096) return false;
  if ((value.length === 36 && UUID.test(value)) || PATH_LIKE.test(value) || SEPARATORS_OF_TEXT.test(value))
    return false;
  return classChanges(value) >= 0.27 && distinctCharacters(value) >= 8 && bitsPerCharacter(value) >= 2.8;
}

function classChanges(value: string): number {
  let changes = 0;
  for (let i = 1; i < value.length; i++) if (classOf(value, i) !== classOf(value, i - 1)) changes++;
  return changes / (value.length - 1) - separatorShare(value);
}

/** `a-b-c-1` changes class at every step, and is still no secret. */
function separatorShare(value: string): number {
  let separators = 0;
  for (let i = 0; i < value.length; i++) if ('-_./:@'.includes(value[i] ?? '')) separators++;
  return (2 * separators) / value.length;
}

function classOf(value: string, at: number): number {
  const code = value.charCodeAt(at);
  if (code >= 0x30 && code <= 0x39) return 0;
  if (code >= 0x41 && code <= 0x5a) return 1;
  return code >= 0x61 && code <= 0x7a ? 2 : 3;
}

function distinctCharacters(value: string): number {
  return new Set(value).size;
}

/** Shannon entropy. */
function bitsPerCharacter(value: string): number {
  const counts = new Map<string, number>();
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length);
  return bits;
}
