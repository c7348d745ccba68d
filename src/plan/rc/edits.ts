import type { Span } from './syntax/index.ts';

/** A part of the text that goes; a command as a whole leaves `:` so that what is around it still has a body. */
export interface Edit extends Span {
  readonly leaves: '' | ' ' | ':';
}

/** The text without its edits; every line keeps its number. Of edits in each other the outer one counts. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  let result = '';
  let at = 0;
  for (const edit of [...edits].sort((a, b) => a.from - b.from || b.to - a.to)) {
    if (edit.from < at) continue;
    result += text.slice(at, edit.from) + edit.leaves + lineEnds(text.slice(edit.from, edit.to));
    at = edit.to;
  }
  return result + text.slice(at);
}

/** A line end within a command would end it: a backslash before it takes that away. */
function lineEnds(removed: string): string {
  return ' \\\n'.repeat(removed.split('\n').length - 1);
}
