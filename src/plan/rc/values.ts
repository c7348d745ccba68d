import { guardName, guardValue } from '../../decide/guard/index.ts';
import { looksRandom } from '../../decide/guard/random.ts';
import type { Bytes } from '../../host/bytes.ts';
import { SUBSTITUTION, VARIABLE } from './syntax/index.ts';

const SWITCH = /^(?:yes|no|y|n|true|false|on|off|auto|always|never|none|\d{1,6})$/i;
/** From a variable, the home or a folder of the system on, in segments as people name them. */
const PATH = /^(?:[\0\x01]|~[\w.-]*)(?:\/[\w.+@%,=\0\x01 *-]*)*$|^(?:\/[\w.+@%,=\0\x01 *-]*)+$/;
const TOP_FOLDERS = new Set(
  'bin boot data dev etc home lib lib32 lib64 media mnt nix opt proc root run sbin snap srv sys tmp usr var workspace'.split(
    ' ',
  ),
);
const LONGEST_SEGMENT = 40;

/** A value that can't be a secret whatever its name: nothing, a switch, a number, paths, what other variables hold. */
export function isHarmless(value: string): boolean {
  return value === '' || SWITCH.test(value) || value.split(':').every(isPlainPath);
}

function isPlainPath(path: string): boolean {
  if (path === '') return true;
  if (!PATH.test(path)) return false;
  const segments = path.split('/');
  if (segments[0] === '' && !TOP_FOLDERS.has(segments[1] ?? '') && path !== '/') return false;
  return segments.every((segment) => segment.length <= LONGEST_SEGMENT && !looksRandom(segment));
}

/** Only what a run brings: no text of the file's own. */
function isDynamic(value: string): boolean {
  return /^[\0\x01\s:]*$/.test(value);
}

/** A credential by its name or its look, or something long and mixed that no word is. */
export function isSuspicious(name: string, value: string): boolean {
  if (isHarmless(value) || isDynamic(value)) return false;
  return guardName(name as Bytes) !== undefined || holdsCredential(name, value);
}

const MIXED = /[A-Za-z0-9+/_=.~-]{12,}/g;

export function holdsCredential(name: string, value: string): boolean {
  const plain = literalOf(value);
  if (!mayHold(plain)) return false;
  if (guardValue(name as Bytes, plain as Bytes) !== undefined) return true;
  return (plain.match(MIXED) ?? []).some((run) => isMixed(run) && !isPlainPath(run));
}

/** Prose, options and names of programs: most text, and looking for two hundred kinds of credentials takes time. */
function mayHold(text: string): boolean {
  return /[=:]/.test(text) || text.split(/\s+/).some((run) => run.length >= 12 && /[\dA-Z@]/.test(run));
}

/** Letters and digits in turn, as no name of a program, option or version has them. */
function isMixed(run: string): boolean {
  return run
    .split(/[/=.]/)
    .some((part) => part.length >= 12 && (part.match(/[a-z](?=\d)|\d(?=[a-z])/gi)?.length ?? 0) >= 3);
}

/** What stands in the file itself. */
export function literalOf(value: string): string {
  return value.replaceAll(VARIABLE, ' ').replaceAll(SUBSTITUTION, ' ');
}
