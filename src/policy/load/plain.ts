import { DEEPEST, type Node, type Place, type Scalar } from './node.ts';
import { refuse } from './problems.ts';
import type { Source } from './source.ts';
import { refuseDepth } from './too-deep.ts';

/** A policy given as an object, for library use and for the built-in profiles: own enumerable properties only. */
export function readPlain(source: Source, value: unknown, path = '', depth = 0): Node {
  const place: Place = { path };
  if (depth > DEEPEST) return refuseDepth(source, place);
  if (Array.isArray(value)) {
    return { kind: 'list', place, items: value.map((item, i) => readPlain(source, item, `${path}[${i}]`, depth + 1)) };
  }
  if (isScalar(value)) return { kind: 'scalar', place, value };
  if (typeof value !== 'object') return refuse(source, place, `a ${typeof value} has no place in a policy`);
  const entries = Object.entries(value as object).filter(([, child]) => child !== undefined);
  return {
    kind: 'map',
    place,
    entries: entries.map(([key, child]) => {
      const childPath = path === '' ? key : `${path}.${key}`;
      return { key, keyPlace: { path: childPath }, value: readPlain(source, child, childPath, depth + 1) };
    }),
  };
}

function isScalar(value: unknown): value is Scalar {
  return value === null || value instanceof Date || ['string', 'number', 'bigint', 'boolean'].includes(typeof value);
}
