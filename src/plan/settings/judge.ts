import { guardName, guardValue, isHarmless, nameParts } from '../../decide/guard/index.ts';
import { looksRandom } from '../../decide/guard/rules/contexts.ts';
import { type Bytes, wordsIn } from '../../host/bytes.ts';
import { withoutLogIns } from './address.ts';

/**
 * What becomes of one setting: its value, perhaps without a log-in in an address, or nothing.
 * An address stays without its log-in, since a registry that is missing would send programs to the public one.
 */
export type Judge = (path: readonly string[], value: string) => string | undefined;

/** Settings whose names sound like credentials and that only name something: a file, a kind, a key that is public. */
const HARMLESS = new Set(
  wordsIn(`
    auth-type always-auth npmalwaysauth signingkey authorname keyring keyring-provider certificate-authority
    certificate-authority-data detachkeys key-map keybindings
    keepalive sshkeycommand defaultkeycommand
`),
);

/** What cargo asks for tokens: its own, by name. Of a program the arguments may be the token itself. */
const PROVIDERS = /^(?:global-)?credential-providers?$/i;
const PROVIDER = /^(?:[\s"'[\],]*cargo:(?!token-from)[\w-]+)*[\s"'[\],]*$/;

/** What logs in without being called so. */
const LOG_IN = new Set([
  '_auth',
  'username',
  'user-name',
  'login',
  'email-auth',
  'extraheader',
  'httpheaders',
  'cookiefile',
]);

export const judge: Judge = (path, value) => {
  const name = path.at(-1) ?? '';
  if (LOG_IN.has(name.toLowerCase())) return undefined;
  const plain = withoutLogIns(value);
  if (PROVIDERS.test(name)) return PROVIDER.test(value) ? value : undefined;
  if (HARMLESS.has(name.toLowerCase())) return plain;
  if (guardName(name as Bytes) !== undefined || nameParts(name as Bytes).some((part) => ONCE.has(part)))
    return undefined;
  return guardValue(name as Bytes, plain as Bytes) === undefined && !saysLogIn(plain) ? plain : undefined;
};

/** Parts of names that in settings mean nothing but a log-in, however short its value is. */
const ONCE = new Set(['OAUTH', 'OTP', 'TOTP', 'MFA', 'PIN', 'PW', 'LOGIN', 'SSO', 'SAS', 'SEED', 'MNEMONIC']);

/** A header that logs in, in a command for instance; a variable in its place tells nothing. */
const HEADER =
  /(?:\b(?:bearer|basic)\s+|\b(?:[\w-]*authorization|x-api-key|private-token|cookie)["']?\s*[:=]\s*(?!(?:bearer|basic)\s))(?!["']?[$<%{])[^\s"']/i;
const MAY_SAY = /bearer|basic|authorization|x-api-key|private-token|cookie/i;
/** `--token=…` of a command, `?token=…` of an address, `TOKEN=… command`. */
const ARGUMENT = /(?:^|\W)[\w-]*(?:token|passw(?:or)?d|secret|api[_-]?key)=(?!["']?(?:[$<%{]|$))\S/i;
/** `--token …` of a command. */
const OPTION =
  /(?:^|\s)--?(?:[\w-]*(?:token|passw(?:or)?d|passphrase|secret|api-?key)|pass|pw)\s+["']?(?![-$<%{"'])[^\s"']/i;
/** `NAME=… command`. */
const VARIABLE = /(?:^|[\s"';&|(])([A-Z_][A-Z0-9_]*)=("[^"]*"|'[^']*'|[^\s"';&|]+)/g;
const WORDS = /[^\s,;|<>(){}[\]"'`\\=]+/g;

/** Whatever it is called: settings are written by people, and no word of theirs looks as if it were generated. */
const saysLogIn = (value: string) =>
  (MAY_SAY.test(value) && HEADER.test(value)) || handsOver(value) || (value.match(WORDS) ?? []).some(looksGenerated);

/** Whether a command hands a log-in over, as an argument or a variable. */
export const handsOver = (command: string) =>
  (command.includes('=') && (ARGUMENT.test(command) || [...command.matchAll(VARIABLE)].some(isGivenLogIn))) ||
  (command.includes('-') && OPTION.test(command));

const isGivenLogIn = ([, name = '', value = '']: RegExpMatchArray) =>
  guardName(name as Bytes) !== undefined && !isHarmless(value);

/** `UserKnownHostsFile`: words of a language, with a capital each. */
const WORDS_OF_PEOPLE = /^(?:[A-Z]?[a-z]{2,})(?:[A-Z][a-z]{2,})*$/;
const looksGenerated = (word: string) => !WORDS_OF_PEOPLE.test(word) && looksRandom(word);

/** Binary files, and what an editor would not show as it is, are nothing to take apart. */
export const isPlainText = (text: string) => !/[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/.test(text);

/** Thrown where a file is not what its name says, or says it in a way that is not worth understanding. */
class NotUnderstood extends Error {}

export function refuse(): never {
  throw new NotUnderstood();
}
