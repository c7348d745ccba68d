import { DEEPEST, type Place } from './node.ts';
import { refuse } from './problems.ts';
import type { Source } from './source.ts';

export function refuseDepth(source: Source, place: Place): never {
  return refuse(source, place, `nested deeper than ${DEEPEST} levels`, {
    hint: 'no policy needs that; is it the right file?',
  });
}

/** Parsers descend by calling themselves: a file that is nested to exhaust the stack ends as a refusal, not as a crash. */
export function withinStack<T>(source: Source, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof RangeError) return refuseDepth(source, whereItGetsDeep(source.text));
    throw error;
  }
}

/** Good enough to point at: brackets are counted wherever they stand. */
function whereItGetsDeep(text: string): Place {
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '[' || text[i] === '{') depth++;
    else if (text[i] === ']' || text[i] === '}') depth--;
    if (depth > DEEPEST) return { start: i, end: i + 1 };
  }
  return { start: 0, end: 1 };
}
