import { DEEPEST, type Place } from './node.ts';
import { refuse } from './problems.ts';
import type { Source } from './source.ts';

export function refuseDepth(source: Source, place: Place): never {
  return refuse(source, place, `nested deeper than ${DEEPEST} levels`, {
    hint: 'no policy needs that; is it the right file?',
  });
}

/**
 * How deep a parser that calls itself may go. Far from the end of the stack: whoever has none left when a regular expression is
 * compiled is ended by V8 with the whole process, and no error is thrown.
 */
export const DEEPEST_FOR_PARSERS = 1000;

/** Before such a parser begins. The pattern finds brackets, and whole strings and comments, so that none within those counts. */
export function refuseDeepBrackets(source: Source, pattern: RegExp): void {
  let depth = 0;
  let tooDeepAt = 0;
  for (const { 0: found, index } of source.text.matchAll(pattern)) {
    if (found === '[' || found === '{') depth++;
    else if (found === ']' || found === '}') depth = Math.max(0, depth - 1);
    if (depth === DEEPEST + 1) tooDeepAt = index;
    if (depth > DEEPEST_FOR_PARSERS) refuseDepth(source, { start: tooDeepAt, end: tooDeepAt + 1 });
  }
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
