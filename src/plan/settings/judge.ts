import { guardName, guardValue, nameParts } from '../../decide/guard/index.ts';
import { hasUserinfo, looksRandom } from '../../decide/guard/rules/contexts.ts';
import { type Bytes, wordsIn } from '../../host/bytes.ts';

/**
 * What becomes of one setting: its value, perhaps without a log-in in an address, or nothing.
 * An address stays without its log-in, since a registry that is missing would send programs to the public one.
 */
export type Judge = (path: readonly string[], value: string) => string | undefined;

/** Settings whose names sound like credentials and that only name something: a file, a kind, a key that is public. */
const HARMLESS = new Set(
  wordsIn(`
    auth-type always-auth npmalwaysauth signingkey authorname keyring keyring-provider credential-provider
    global-credential-providers certificate-authority certificate-authority-data detachkeys key-map keybindings
    keepalive sshkeycommand defaultkeycommand
`),
);

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
const WORDS = /[^\s,;|<>(){}[\]"'`\\=]+/g;

/** Whatever it is called: settings are written by people, and no word of theirs looks as if it were generated. */
const saysLogIn = (value: string) =>
  (MAY_SAY.test(value) && HEADER.test(value)) ||
  (value.includes('=') && ARGUMENT.test(value)) ||
  (value.match(WORDS) ?? []).some(looksGenerated);

/** `UserKnownHostsFile`: words of a language, with a capital each. */
const WORDS_OF_PEOPLE = /^(?:[A-Z]?[a-z]{2,})(?:[A-Z][a-z]{2,})*$/;
const looksGenerated = (word: string) => !WORDS_OF_PEOPLE.test(word) && looksRandom(word);

/** With one slash, none, the other kind, or as JSON may have them: programs read all of these as a web address with a log-in. */
const ODD_ADDRESS = /\b((?:https?|wss?|ftp):)(?!\/\/)(?:\\u002f|\\?\/|\\)*[^/\\?#\s"'@]*@/gi;
/** `//name:password@host/`, and `name:password@host:3128` as proxies are written. */
const NO_SCHEME = /(^(?:\/\/)?|[\s"'=]\/\/)[^/?#\s"'@:]+:[^/?#\s"'@]+@(?=[\w.[\]-]+(?:[:/]|$))/g;
/** Channels of conda: `https://host/t/TOKEN/channel`. */
const TOKEN_IN_PATH = /(:\/\/[^/\s"']+)\/t\/[^/\s"']{8,}(?=\/|$)/g;

/** `https://name:password@host/` as `https://host/`, also where the password has a slash in it. */
function withoutLogIns(value: string): string {
  if (!value.includes('@')) return value.replace(TOKEN_IN_PATH, '$1');
  const usual = value.replace(ODD_ADDRESS, '$1//').replace(NO_SCHEME, '$1').replace(TOKEN_IN_PATH, '$1');
  const plain = usual.replace(/(:\/\/)[^/?#\s"'@]*(?:@[^/?#\s"'@]*)*@/g, '$1');
  return hasUserinfo(plain as Bytes) ? plain.replace(/(:\/\/)[^\s"']*@/g, '$1') : plain;
}

/** Binary files, and what an editor would not show as it is, are nothing to take apart. */
export const isPlainText = (text: string) => !/[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/.test(text);

/** Thrown where a file is not what its name says, or says it in a way that is not worth understanding. */
class NotUnderstood extends Error {}

export function refuse(): never {
  throw new NotUnderstood();
}
