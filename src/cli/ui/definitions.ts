export interface Definition {
  readonly term: string;
  readonly text: string;
}

export interface DefinitionOptions {
  readonly width: number | undefined;
  readonly paintTerm?: (term: string) => string;
}

const INDENT = 2;
/** A longer term gets a line of its own, so that one of them does not push every text to the right. */
const LONGEST_TERM = 34;
const NARROWEST_TEXT = 24;

/** Terms on the left, what they mean beside them, in lines that fit the terminal. */
export function definitions(
  list: readonly Definition[],
  { width, paintTerm = (term) => term }: DefinitionOptions,
): string[] {
  const short = list.filter(({ term, text }) => term.length <= LONGEST_TERM && text !== '');
  const column = INDENT + Math.max(0, ...short.map(({ term }) => term.length)) + 2;
  const room = width === undefined ? Number.POSITIVE_INFINITY : Math.max(NARROWEST_TEXT, width - column);
  return list.flatMap(({ term, text }) => {
    const left = `${' '.repeat(INDENT)}${paintTerm(term)}`;
    const [first = '', ...more] = wrap(text, room).map((line) => ' '.repeat(column) + line);
    if (text === '') return [left];
    if (INDENT + term.length + 2 > column) return [left, first, ...more];
    return [left + first.slice(INDENT + term.length), ...more];
  });
}

/** A line with its indent, and what it goes on in deeper. Without a width as it is. */
export function hanging(line: string, width: number | undefined): string {
  if (width === undefined || line.length <= width) return line;
  const indent = /^\s*/.exec(line)?.[0] ?? '';
  const [first = '', ...more] = wrap(line.slice(indent.length), Math.max(NARROWEST_TEXT, width - indent.length - 2));
  return [indent + first, ...more.map((one) => `${indent}  ${one}`)].join('\n');
}

export function wrap(text: string, room: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= room) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
