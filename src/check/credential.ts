import { deniedWordsIn, guardName, guardValue, nameParts } from '../decide/guard/index.ts';
import { bytesOfText } from '../host/bytes.ts';
import { schemeOf } from '../policy/credential.ts';
import type { Place } from '../policy/load/node.ts';
import { type Findings, nameText } from './finding.ts';

/**
 * Whether a name means a credential, for files that say much more than an environment does: here the word has to be a part of its own
 * (CACHE_KEYS and TOKENIZERS_PARALLELISM are none), and a variable that holds the path of a secret is the good way to hand one over.
 */
export function isCredentialName(name: string, value?: string): boolean {
  const bytes = bytesOfText(name);
  const finding = guardName(bytes);
  if (finding === undefined || isPathOfSecret(name, value) || isPublicKey(name, value)) return false;
  const denied = deniedWordsIn(bytes);
  return denied.length === 0 || denied.some((word) => hasPart(name, word));
}

/** `TOKENS` is as good as `TOKEN` where it names one, and `API_KEY2` too. */
function hasPart(name: string, word: string): boolean {
  return nameParts(bytesOfText(name)).some((part) => part.replace(/S?\d*$/, '') === word || part.endsWith(word));
}

const isPathOfSecret = (name: string, value: string | undefined) =>
  /_(?:FILE|PATH|DIR)$/i.test(name) && (value === undefined || /[/\\]|^\$|^$/.test(value));

/** Fingerprints of the keys that releases are signed with, as official images have them. */
const isPublicKey = (name: string, value: string | undefined) =>
  /(?:^|_)GPG_KEYS?$/.test(name) && /^[\s0-9A-F]{16,}$/.test(value ?? '');

/** What stands for a value that is filled in elsewhere. */
function isReference(value: string): boolean {
  return schemeOf(value) !== undefined || /\$\{|\$\(|^\$[A-Za-z_]|^\$\d|\{\{|^@|%\(/.test(value);
}

const NO_VALUE =
  /^(?:|[x*.•…_-]+|<.*>|\[.*\]|\d+|true|false|yes|no|on|off|null|none|nil|undefined|unset|default|empty|optional|required|string|token|key|secret|password|auto)$/i;
const STANDS_FOR_VALUE =
  /change.?me|replace.?(?:me|with)|placeholder|fill.?in|redacted|(?:^|[^a-z])(?:your|my|an?|the|test|sample|fake|dummy|example|insert|todo|here)(?:[^a-z]|$)/i;

export const isPlaceholder = (value: string): boolean =>
  value.length < 4 || NO_VALUE.test(value) || STANDS_FOR_VALUE.test(value);

export interface WrittenValue {
  readonly name: string;
  readonly value: string;
  readonly place: Place;
}

/** A value that is written down: by its form, else by what its name says. Whether there was one to report. */
export function checkWrittenValue(findings: Findings, { name, value, place }: WrittenValue): boolean {
  if (isPublicKey(name, value)) return false;
  const found = guardValue(bytesOfText(name), bytesOfText(withoutReferences(value)));
  if (found !== undefined && !isOnlyPlaceholder(found.rule, value)) {
    const message = `the value of ${nameText(name)} is a credential: ${found.reason} (${found.rule})`;
    findings.add('literal-credential', place, { message, names: [name] });
    return true;
  }
  if (!meansSecret(name, value) || isReference(value) || isPlaceholder(value)) return false;
  findings.add('secret-in-plain-text', place, { message: `${nameText(name)} has a fixed value`, names: [name] });
  return true;
}

/** `postgres://user:password@localhost` is what an example looks like. */
const isOnlyPlaceholder = (rule: string, value: string) =>
  rule.endsWith('-userinfo') &&
  /:(?:pass|passwd|password|secret|changeme|example|x+|\*+|<[^>@]*>|your[^@]*)@/i.test(value);

/** A text, such as a script or an argument, in which a credential may stand; also inside the commands whose output it takes. */
export function credentialInText(text: string): string | undefined {
  const inside = [...text.matchAll(SUBSTITUTION)].map((match) => match[1] ?? match[2] ?? '');
  for (const one of [text.replace(SUBSTITUTION, '$_'), ...inside]) {
    const found = guardValue(bytesOfText(''), bytesOfText(withoutReferences(one)));
    if (found !== undefined) return `${found.reason} (${found.rule})`;
  }
  return undefined;
}

const SUBSTITUTION = /`([^`\n]{0,500})`|\$\(([^()\n]{0,500})\)/g;

const REFERENCES =
  /(?:\$\{\{.{0,500}?\}\}|\$\{[^}]{0,200}\}|\\?\$(?:env:)?[A-Za-z_]\w{0,200}|\$[\d@*]|%[A-Za-z_]\w{0,200}%|\{\{.{0,200}?\}\}|<[\w. -]{1,60}>|\b(?:your|my|insert|replace|change)[_-][a-z_-]{2,60}\b)+/gi;

/** `//user:$TOKEN@host`, after the token is gone. */
const LOGIN_WITHOUT_PASSWORD = /(?<=\/\/)(?:[\w.\0-]{0,64}:)?\0@/g;

/**
 * What a variable or a placeholder stands for is not written here. One letter is left in its place, so that what surrounds it is read as it
 * was meant: in `_authToken="$TOKEN" > .npmrc` the quote closes.
 */
const withoutReferences = (value: string) =>
  value.replaceAll('\0', '').replace(REFERENCES, '\0').replace(LOGIN_WITHOUT_PASSWORD, '').replaceAll('\0', 'x');

/** `CACHE_KEY: v1` is no secret; a key counts only when its value looks like one, which the guard has said then. */
function meansSecret(name: string, value: string): boolean {
  if (!isCredentialName(name, value)) return false;
  const words = deniedWordsIn(bytesOfText(name)).filter((word) => hasPart(name, word));
  return words.length === 0
    ? !/AUTH|PRIVATE|COOKIE|PAT/.test(name.toUpperCase())
    : words.some((word) => word !== 'KEY');
}
