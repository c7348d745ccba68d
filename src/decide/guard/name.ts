import { type Bytes, showBytes } from '../../host/bytes.ts';
import type { GuardFinding } from './finding.ts';
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
export function isSecretLikeName(name: Bytes): boolean {
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
