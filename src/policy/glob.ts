import type { Bytes } from '../host/bytes.ts';

export type GlobMatcher = (name: Bytes) => boolean;

/** One byte of a segment: the set of bytes it accepts. A plain byte is kept as its code, `?` as ANY. */
type Unit = number | Uint8Array;
const ANY = -1;

/**
 * A glob is segments with `*` between them. The first is tied to the start, the last to the end, each other one is looked for
 * left to right: taking the leftmost place is always right, so no star is ever tried twice.
 */
export function compileGlob(source: Bytes): GlobMatcher {
  const segments = splitAtStars(source).map(parseSegment);
  const first = segments[0] as Unit[];
  if (segments.length === 1) return (name) => name.length === first.length && matchesAt(first, name, 0);
  const last = segments[segments.length - 1] as Unit[];
  const inner = segments
    .slice(1, -1)
    .filter((segment) => segment.length > 0)
    .map(compileSearch);
  return (name) => {
    const end = name.length - last.length;
    if (end < first.length || !matchesAt(first, name, 0) || !matchesAt(last, name, end)) return false;
    let at = first.length;
    for (const search of inner) {
      at = search(name, at, end);
      if (at === -1) return false;
    }
    return true;
  };
}

/** Stars inside a class are members, not stars. */
function splitAtStars(source: Bytes): Bytes[] {
  const segments: Bytes[] = [];
  let start = 0;
  for (let i = 0; i < source.length; i++) {
    if (source[i] === '[') i = classEnd(source, i);
    else if (source[i] === '*') {
      segments.push(source.slice(start, i) as Bytes);
      start = i + 1;
    }
  }
  segments.push(source.slice(start) as Bytes);
  return segments;
}

function classEnd(source: string, open: number): number {
  const first = source[open + 1] === '!' ? open + 2 : open + 1;
  return source.indexOf(']', first + 1);
}

function parseSegment(segment: Bytes): Unit[] {
  const units: Unit[] = [];
  for (let i = 0; i < segment.length; i++) {
    if (segment[i] === '?') units.push(ANY);
    else if (segment[i] === '[') {
      const close = classEnd(segment, i);
      units.push(parseClass(segment.slice(i + 1, close)));
      i = close;
    } else units.push(segment.charCodeAt(i));
  }
  return units;
}

function parseClass(body: string): Uint8Array {
  const negated = body[0] === '!';
  const members = negated ? body.slice(1) : body;
  const set = new Uint8Array(256).fill(negated ? 1 : 0);
  for (let i = 0; i < members.length; i++) {
    const from = members.charCodeAt(i);
    const isRange = members[i + 1] === '-' && i + 2 < members.length;
    const to = isRange ? members.charCodeAt(i + 2) : from;
    for (let code = from; code <= to; code++) set[code] = negated ? 0 : 1;
    if (isRange) i += 2;
  }
  return set;
}

function accepts(unit: Unit, code: number): boolean {
  return typeof unit === 'number' ? unit === code || unit === ANY : unit[code] === 1;
}

function matchesAt(units: readonly Unit[], name: Bytes, start: number): boolean {
  for (let i = 0; i < units.length; i++) if (!accepts(units[i] as Unit, name.charCodeAt(start + i))) return false;
  return true;
}

/** Finds a segment at or after `from`, ending by `end`; gives the place behind it, or -1. */
type Search = (name: Bytes, from: number, end: number) => number;

/** The longest run of plain bytes leads to the few places worth a look. */
function compileSearch(units: readonly Unit[]): Search {
  const { text, offset } = longestLiteral(units);
  return (name, from, end) => {
    const last = end - units.length;
    for (let start = from; start <= last; start++) {
      start = name.indexOf(text, start + offset) - offset;
      if (start < from || start > last) return -1;
      if (matchesAt(units, name, start)) return start + units.length;
    }
    return -1;
  };
}

function longestLiteral(units: readonly Unit[]): { text: string; offset: number } {
  let best = { text: '', offset: 0 };
  let text = '';
  for (const [i, unit] of units.entries()) {
    text = typeof unit === 'number' && unit !== ANY ? text + String.fromCharCode(unit) : '';
    if (text.length > best.text.length) best = { text, offset: i + 1 - text.length };
  }
  return best;
}
