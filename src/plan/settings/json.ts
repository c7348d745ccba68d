import { withoutLogIns } from './address.ts';
import { isGiven, isGivenTo, isOfLogIns } from './below.ts';

/*
 * JSON is judged by the names that lead to a value. Where a line cannot go by itself it is written anew, if nothing else changes by that.
 */

type IsFault = (name: string, value: string) => boolean;

const STRINGS = /"(?:[^"\\]|\\.)*"(\s*:)?/g;
const DEEPEST = 200;

/** Undefined: it has comments, a name twice, or is no JSON; what reads it then is no reader of JSON, and only its lines can be judged. */
export function parsedJson(text: string): unknown {
  try {
    const tree: unknown = JSON.parse(text);
    const names = [...text.matchAll(STRINGS)].filter(([, colon]) => colon !== undefined).length;
    return names === namesIn(tree, 0) ? tree : undefined;
  } catch {
    return undefined;
  }
}

function namesIn(node: unknown, depth: number): number {
  if (typeof node !== 'object' || node === null) return 0;
  if (depth > DEEPEST) throw new RangeError('nested too deeply');
  const below = Object.values(node).reduce((sum: number, one) => sum + namesIn(one, depth + 1), 0);
  return below + (Array.isArray(node) ? 0 : Object.keys(node).length);
}

/** The first value that is a log-in by the names above it; what it says itself, its line has told. */
export function faultInJson(node: unknown, path: readonly string[] = []): string | undefined {
  if (typeof node === 'string') return isLogIn(path, node) ? node : undefined;
  if (typeof node !== 'object' || node === null) return undefined;
  for (const [key, one] of Object.entries(node)) {
    const found = faultInJson(one, Array.isArray(node) ? path : [...path, key]);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isLogIn(path: readonly string[], value: string): boolean {
  const name = path.at(-1) ?? '';
  return (
    (isOfLogIns(name) && isGiven(name, value, true)) || (path.slice(0, -1).some(isOfLogIns) && isGivenTo(name, value))
  );
}

/** A number of 16 digits or with an exponent would be another one, and what is written as `\u…` other bytes. */
const CHANGES = /\d{16}|\d[eE][+-]?\d/;

export function jsonWithout(text: string, isFault: IsFault): string | undefined {
  const tree = parsedJson(text);
  if (tree === undefined || text.includes('\\u') || CHANGES.test(text.replace(STRINGS, ''))) return undefined;
  const kept = (node: unknown, path: readonly string[], name: string): unknown => {
    if (typeof node === 'string') {
      const plain = withoutLogIns(node);
      return isLogIn(path, plain) || isFault(name, plain) ? undefined : plain;
    }
    if (typeof node !== 'object' || node === null) return node;
    // `keywords` names a list, and none of the words in it.
    if (Array.isArray(node)) return node.map((one) => kept(one, path, 'value')).filter((one) => one !== undefined);
    return Object.fromEntries(Object.entries(node).map(([key, one]) => [key, kept(one, [...path, key], key)]));
  };
  return `${JSON.stringify(kept(tree, [], 'value'), null, 2)}\n`;
}
