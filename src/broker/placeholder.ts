import { randomInt } from 'node:crypto';
import { type Bytes, bytesOfText } from '../host/bytes.ts';
import { CordonError } from '../host/errors.ts';
import type { Secret } from '../secrets/secret.ts';

const DIGITS = '0123456789';
const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const UPPER = LOWER.toUpperCase();
const BASE62 = DIGITS + UPPER + LOWER;
const ENOUGH_BITS = 128;
const LONGEST = 512;

/** What programs look at before they send anything: who made it, and how long it is. The rest is all random. */
const VENDOR_PREFIX =
  /^(?:sk-ant-[a-z0-9]{2,8}-|sk-(?:proj|svcacct|admin|or-v1|lf)-|sk-|gh[pousr]_|github_pat_|gl(?:pat|dt|rt|ptt|soat|oas)-|npm_|pypi-AgEIcHlwaS5vcmc|pypi-|cio|dckr_[po]at_|hf_|xox[abeprs]-|xapp-|lin_(?:api|oauth)_|sntry[su]_|[sr]k_(?:live|test)_|whsec_|AIza|ya29\.|GOCSPX-|gsk_|xai-|pplx-|r8_|nvapi-|tvly-|csk-|fw_|tgp_v1_|jina_|AKIA|ASIA|do[opr]_v1_|dapi|hv[sbr]\.|rubygems_|sbp_|napi_|vercel_|figd_|ntn_|secret_|NRAK-|glsa_|glc_|SG\.|shp(?:at|ca|pa|ss)_|eyJ)/;

const ALPHABETS: readonly (readonly [RegExp, string])[] = [
  [/^[0-9a-f]+$/, `${DIGITS}abcdef`],
  [/^[0-9A-F]+$/, `${DIGITS}ABCDEF`],
  [/^[0-9a-z]+$/, DIGITS + LOWER],
  [/^[0-9A-Z]+$/, DIGITS + UPPER],
  [/^[0-9A-Za-z]+$/, BASE62],
  [/^[\x21-\x7e]+$/, BASE62],
];

/**
 * What a command holds in place of a value: its vendor's prefix, its length and its alphabet where that leaves 128 random bits, so that
 * programs which look at a key before they use it take it. Nothing else of the value is in it, and it is good for nothing elsewhere.
 */
export function placeholderFor(name: Bytes, value: Secret, taken: readonly string[]): string {
  for (;;) {
    const placeholder = shaped(value.reveal()) ?? `cordon_${plainName(name)}_${random(BASE62, 32)}`;
    if (!taken.some((other) => other.includes(placeholder) || placeholder.includes(other))) return placeholder;
  }
}

/** A token in three parts that says whose it is and how long: what it is signed with is the secret of it. */
const SIGNED = /^(eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.)([A-Za-z0-9_-]{22,})$/;

/** What may be nowhere. Of a signed token the signature alone: the rest of it, which agents read, is good for nothing without. */
export const secretPartOf = (value: string) => SIGNED.exec(value)?.[2] ?? value;

/** Agents read in their tokens whose and how old they are: of a signed one what it says is left, with a signature that is none. */
export function logInPlaceholder(name: Bytes, value: Secret, taken: readonly string[]): string {
  const [, said, signature] = SIGNED.exec(value.reveal()) ?? [];
  if (said === undefined || signature === undefined) return placeholderFor(name, value, taken);
  for (;;) {
    const placeholder = said + random(BASE62, signature.length);
    if (!taken.some((other) => other.includes(placeholder) || placeholder.includes(other))) return placeholder;
  }
}

function shaped(value: string): string | undefined {
  const prefix = VENDOR_PREFIX.exec(value)?.[0];
  if (prefix === undefined || value.length > LONGEST) return undefined;
  const rest = value.slice(prefix.length);
  const alphabet = ALPHABETS.find(([form]) => form.test(rest))?.[1];
  if (alphabet === undefined || Math.log2(alphabet.length) * rest.length < ENOUGH_BITS) return undefined;
  return prefix + random(alphabet, rest.length);
}

const plainName = (name: Bytes) =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .slice(0, 40);

const random = (alphabet: string, length: number) =>
  Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');

/** A shorter value is found in any text, so that no answer of a server could be kept free of it. */
const SHORTEST_VALUE = 8;

/** Why a value can't be held back from a command; a protection that was asked for and can't be had is an error. */
export function refuseUnbrokered(name: Bytes, value: Secret, origin: string): void {
  const problem = problemOf(value);
  if (problem === undefined) return;
  throw new CordonError('credential', `${name} can't be brokered: ${problem}`, {
    where: origin,
    hint: 'nothing was started; hand it over with --credential if the command may read it',
  });
}

function problemOf(value: Secret): string | undefined {
  const { length } = value.buffer();
  if (length < SHORTEST_VALUE)
    return `its value has ${length} bytes, and one of fewer than ${SHORTEST_VALUE} can't be told from other text`;
  return /[\x00-\x1f\x7f]/.test(value.reveal())
    ? 'its value has a control character or a line break, which no request carries'
    : undefined;
}

/** One placeholder for each name, none inside another. */
export function placeholdersFor(values: ReadonlyMap<Bytes, Secret>): Map<Bytes, Bytes> {
  const made = new Map<Bytes, Bytes>();
  for (const [name, value] of values)
    made.set(
      name,
      bytesOfText(placeholderFor(name, value, [...made.values(), ...[...values.values()].map((one) => one.reveal())])),
    );
  return made;
}
