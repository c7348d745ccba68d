import { type Bytes, showBytes } from '../../host/bytes.ts';
import type { GuardFinding, ReadingRule, ShapeRule } from './finding.ts';
import { CLOUD } from './rules/cloud.ts';
import { CONTEXTS, looksRandom } from './rules/contexts.ts';
import { HOSTING } from './rules/hosting.ts';
import { KEYS } from './rules/keys.ts';
import { MODELS } from './rules/models.ts';
import { SERVICES } from './rules/services.ts';
import {
  DENIED_WORDS,
  IDENTIFIER_PARTS,
  NO_CREDENTIAL_NAMES,
  OTHER_ENDINGS,
  SECRET_LIKE_PARTS,
  SECRET_LIKE_WORDS,
  WIDER_ENDINGS,
  WIDER_PARTS,
  WIDER_WORDS,
} from './words.ts';

export type { GuardFinding } from './finding.ts';

/** Whether a variable carries a credential, by its name or else by its value. */
export function inspect(name: Bytes, value: Bytes): GuardFinding | undefined {
  return guardName(name) ?? guardValue(name, value);
}

/** The words of the short list that a name contains, in any case. */
export function deniedWordsIn(name: Bytes): readonly string[] {
  const upper = name.toUpperCase();
  return DENIED_WORDS.filter((word) => upper.includes(word));
}

/** The parts of a name: separated by `_` or anything else that is no letter or digit, or by a change of case as in `myKey`. */
export function nameParts(name: Bytes): readonly string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toUpperCase()
    .split(/[^A-Z0-9]/);
}

/** What the name alone says: the short list, then the wider list. */
export function guardName(name: Bytes): GuardFinding | undefined {
  const denied = deniedWordsIn(name)[0];
  if (denied !== undefined) return { rule: 'name-word', reason: `the name contains ${denied}` };
  const wider = widerWordIn(name);
  return wider === undefined ? undefined : { rule: 'name-wider-word', reason: `the name contains ${wider}` };
}

function widerWordIn(name: Bytes): string | undefined {
  if (NO_CREDENTIAL_NAMES.includes(name)) return undefined;
  const upper = name.toUpperCase();
  return (
    WIDER_WORDS.find((word) => upper.includes(word)) ??
    WIDER_PARTS.find((word) => upper.includes(word) && nameParts(name).includes(word)) ??
    widerEndingOf(upper.replace(/_?[0-9]{1,4}$/, ''))
  );
}

function widerEndingOf(upper: string): string | undefined {
  if (OTHER_ENDINGS.some((word) => upper.endsWith(word))) return undefined;
  return WIDER_ENDINGS.find((word) => upper.endsWith(word));
}

/** Whether a random-looking value under this name is more likely a secret than an identifier. */
function isSecretLikeName(name: Bytes): boolean {
  if (guardName(name) !== undefined) return true;
  const upper = name.toUpperCase();
  const parts = nameParts(name);
  if (parts.some((part) => IDENTIFIER_PARTS.includes(part))) return false;
  return (
    parts.some((part) => SECRET_LIKE_PARTS.includes(part)) || SECRET_LIKE_WORDS.some((word) => upper.includes(word))
  );
}

/** The name as it may stand in a message: shortened, because a value is sometimes pasted where a name belongs. */
export function showName(name: Bytes): string {
  const shown = showBytes(name);
  return shown.length > LONGEST_SHOWN ? `${shown.slice(0, LONGEST_SHOWN)}…` : shown;
}

const LONGEST_SHOWN = 128;

export const SHAPES: readonly ShapeRule[] = [...HOSTING, ...CLOUD, ...MODELS, ...SERVICES, ...KEYS];

/** Asked of the value as it stands only: what is decoded always looks different from its name. */
const RANDOM_VALUE: ReadingRule = {
  id: 'random-value',
  what: 'what looks like a generated secret, under a name that suggests one',
  test: (value, name) => looksRandom(value) && isSecretLikeName(name),
};

export const READINGS: readonly ReadingRule[] = [...CONTEXTS, RANDOM_VALUE];

/** What the value says, in the light of its name. */
export function guardValue(name: Bytes, value: Bytes): GuardFinding | undefined {
  for (const reading of readingsOf(value)) {
    const rule = shapeIn(reading) ?? CONTEXTS.find(({ test }) => test(reading, name));
    if (rule !== undefined) return findingOf(rule);
  }
  return RANDOM_VALUE.test(value, name) ? findingOf(RANDOM_VALUE) : undefined;
}

/** No credential with a form of its own is shorter; most values of an environment are, and cost nothing. */
export const SHORTEST_SHAPE = 12;

const ANCHORED = SHAPES.flatMap((shape) => shape.anchors.map((anchor) => ({ anchor, shape })));

/** Whether a credential with a form of its own stands in it, whatever it is called. */
export const holdsKnownForm = (value: Bytes) => shapeIn(value) !== undefined;

function shapeIn(value: Bytes): ShapeRule | undefined {
  if (value.length < SHORTEST_SHAPE) return undefined;
  for (const { anchor, shape } of ANCHORED) if (value.includes(anchor) && shape.pattern.test(value)) return shape;
  return undefined;
}

function findingOf({ id, what }: ShapeRule | ReadingRule): GuardFinding {
  return { rule: id, reason: `the value holds ${what}` };
}

/** The value as it stands and, where it is encoded as a whole, what it says when decoded once. */
function readingsOf(value: Bytes): readonly Bytes[] {
  return [value, percentDecoded(value), base64Text(value)].filter((reading) => reading !== undefined);
}

function percentDecoded(value: Bytes): Bytes | undefined {
  if (!value.includes('%')) return undefined;
  const decoded = value.replace(/%[0-9A-Fa-f]{2}/g, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)));
  return decoded === value ? undefined : (decoded as Bytes);
}

/** The text behind a value that is base64 as a whole; a picture or a digest has none. */
function base64Text(value: Bytes): Bytes | undefined {
  if (value.length < 16 || !isText(Buffer.from(value.slice(0, 64), 'base64'))) return undefined;
  if (!/^[A-Za-z0-9+/_\s-]+={0,2}$/.test(value.trim())) return undefined;
  const decoded = Buffer.from(value, 'base64');
  return isText(decoded) ? (decoded.toString('latin1') as Bytes) : undefined;
}

function isText(bytes: Buffer): boolean {
  return bytes.every((byte) => (byte >= 0x20 && byte <= 0x7e) || byte === 0x09 || byte === 0x0a || byte === 0x0d);
}

/*
 * Words as they stand in the code of a shell, quotes and variables and all.
 */

/** A credential by its name or its look; what a run brings is no text of the file's own. */
export function isSecret(name: string, value: string): boolean {
  if (isHarmless(value) || /^[\s:]*$/.test(literalOf(value))) return false;
  // In zsh, `key` is the table of the keys of the terminal.
  return (name !== 'key' && guardName(name as Bytes) !== undefined) || holdsCredential(name, value);
}

/** No shorter value is worth looking for in a text. */
export const SHORTEST_SECRET = 8;

/** What of a credential may stand elsewhere too. */
export function secretsIn(name: string, value: string): string[] {
  const pieces = isSecret(name, value) ? literalOf(value).split(/[\s()`$]+/) : [];
  return pieces.filter((piece) => piece.length >= SHORTEST_SECRET);
}

/** A credential in any text: of a known form, or long and mixed as no word is. */
export function holdsCredential(name: string, text: string): boolean {
  const plain = literalOf(text);
  if (!/[=:]/.test(plain) && !(/[\dA-Z@]/.test(plain) && /\S{12}/.test(plain))) return false;
  const mixed = (run: string) => (run.match(/[a-z](?=\d)|\d(?=[a-z])/gi)?.length ?? 0) >= 3;
  return guardValue(name as Bytes, plain as Bytes) !== undefined || (plain.match(/[\w+~-]{12,}/g) ?? []).some(mixed);
}

const VARIABLE = /\$(?:\{\w+(?:\[[\w@*]+\])?(?::?[-+=?])?\}|\w+(?:\[\w+\])?|[@*#?!$-])/g;

/** What stands in the file itself. */
export function literalOf(value: string): string {
  const plain = withoutQuotes(value);
  return plain.includes('$') ? plain.replace(VARIABLE, ' ') : plain;
}

export function withoutQuotes(text: string): string {
  return text.replace(/["'\\]/g, '');
}

const SWITCHES = new Set(['', ...'yes no y n true false on off auto always never none'.split(' ')]);
const isSwitch = (text: string) => SWITCHES.has(text.toLowerCase()) || /^\d{1,6}$/.test(text);
const FOLDERS = String.raw`s?bin|boot|data|dev|etc|home|lib\d*|media|mnt|nix|opt|proc|root|run|snap|srv|sys|tmp|usr|var`;
/** From a variable, the home or a folder of the system on, in segments as people name them. */
const PATH = new RegExp(String.raw`^(?:\0|~|/(?:${FOLDERS})(?=/|$)|(?=/?$))(?:/[\w.+@%,*\0-]{0,40})*$`);

/** A prompt of short words, colours and variables, and nothing that a shell would work out. */
export function isPlainPrompt(value: string): boolean {
  const text = value.replaceAll(`\${debian_chroot:+($debian_chroot)}`, '').replace(VARIABLE, ' ');
  return !/\$[({[]|`/.test(text) && !/[\w+~-]{8}/.test(withoutQuotes(text));
}

/** A value that can't be a secret whatever its name: nothing, a switch, a number, paths, what other variables hold. */
export function isHarmless(value: string): boolean {
  const text = withoutQuotes(value).replace(VARIABLE, '\0');
  const isPath = (path: string) => PATH.test(path) && !path.split('/').some(looksRandom);
  return isSwitch(text) || text.split(':').every(isPath);
}
