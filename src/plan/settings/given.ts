import { guardName, holdsCredential, isHarmless, nameParts } from '../../decide/guard/index.ts';
import { looksRandom } from '../../decide/guard/rules/contexts.ts';
import type { Bytes } from '../../host/bytes.ts';

/*
 * Names that mean a log-in, and values that stand there themselves.
 */

const LAST =
  /(?:TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|PASSCODE|APIKEY|CREDENTIALS?|OAUTH|BEARER)\d*$|^(?:PASS|PWD|PAT|JWT|PASS\d)$/;
const BEFORE_KEY = new Set('API ACCESS SECRET PRIVATE SIGNING ENCRYPTION AUTH ACCOUNT MASTER DEPLOY APP'.split(' '));
const BEFORE_IDENT = /^(?:_auth|.*auth_?ident)$/i;
const VARIABLE = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/;

/** The word stands last: `token_type`, `keymap` and `passthrough` are about something else. Names of variables say it anywhere. */
export function isLogInName(name: string): boolean {
  if (BEFORE_IDENT.test(name)) return true;
  if (VARIABLE.test(name)) return guardName(name as Bytes) !== undefined && !/_(?:FILE|PATH|DIR|TYPE|URL)$/.test(name);
  const parts = nameParts(name as Bytes).filter((part) => part !== '');
  const last = parts.at(-1) ?? '';
  return LAST.test(last) || /SMTPPASS$|DBPASS$/.test(last) || (last === 'KEY' && BEFORE_KEY.has(parts.at(-2) ?? ''));
}

const NO_VALUE =
  /^(?:.{0,2}|true|false|null|none|nil|yes|no|on|off|auto|ask|prompt|default|keyring|store|cache|\d{1,4}|\*+|x+|[|>][+-]?\d?)$/i;
const ELSEWHERE =
  /^[$%<{@!&`]|\$\{|\$\(|\{\{|%\(|getenv|\benv[.[(]|environ|ENV\[|^[\w.-]*\.(?:txt|json|pem|key|gpg|crt|asc)$/;

/** A text that stands there itself, and says neither yes nor no nor where to look. */
export function isWritten(value: string): boolean {
  if (/^["']{3}|^[|>][+-]?$/.test(value)) return true;
  const plain = value.replace(/^["']|["']$/g, '');
  return !NO_VALUE.test(plain) && !ELSEWHERE.test(plain) && !isHarmless(plain) && !/^[~.]{0,2}\//.test(plain);
}

/** Of such a form that it is a log-in wherever a name for log-ins stands above it. */
export function looksGiven(value: string): boolean {
  const plain = value.replace(/^["']|["']$/g, '');
  return isWritten(plain) && (looksRandom(plain) || holdsCredential('', plain));
}
