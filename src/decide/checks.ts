import type { Bytes } from '../host/bytes.ts';

/** Values that make a library read a file of the sender's choice, the ones sudo's env_check drops. */
export type CheckKind = 'locale' | 'tz' | 'term';

export const CHECKED: readonly (readonly [CheckKind, string])[] = [
  ['locale', 'LANG'],
  ['locale', 'LANGUAGE'],
  ['locale', 'LC_*'],
  ['tz', 'TZ'],
  ['term', 'TERM'],
];

export function isUnsafeValue(kind: CheckKind, value: Bytes): boolean {
  return kind === 'tz' ? isUnsafeTimeZone(value) : /[/%]/.test(value);
}

const ZONE_FILES = '/usr/share/zoneinfo/';

function isUnsafeTimeZone(value: Bytes): boolean {
  const path = value.startsWith(':') ? value.slice(1) : value;
  if (path.startsWith('/') && !path.startsWith(ZONE_FILES)) return true;
  return value.length > 4096 || value.includes('..') || /[^\x21-\x7e]|%/.test(value);
}

/** Bash before its 2014 fix ran functions found in values; nothing else begins like this. */
export function isFunctionValue(value: Bytes): boolean {
  return value.startsWith('() {');
}
