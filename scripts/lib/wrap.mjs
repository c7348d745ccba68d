// Lines of pages as long as lines of pages may be.
const WIDTH = 120;

/** Words in lines, the first behind `first`, the others behind as many blanks. */
export function wrapped(text, first = '') {
  return filled(text.split(' '), { first, more: ' '.repeat(first.length), end: '' });
}

/** A command of the shell, carried on with backslashes. What is in quotes stays in one piece. */
export function brokenCommand(line) {
  const words = line.match(/(?:[^\s"']|"[^"]*"|'[^']*')+/g) ?? [line];
  return filled(words, { first: '', more: '  ', end: ' \\' });
}

function filled(words, { first, more, end }) {
  const lines = [];
  let line = first;
  for (const word of words) {
    const isEmpty = line === first || line === more;
    const next = isEmpty ? `${line}${word}` : `${line} ${word}`;
    if (isEmpty || next.length + end.length <= WIDTH) line = next;
    else {
      lines.push(`${line}${end}`);
      line = `${more}${word}`;
    }
  }
  return [...lines, line].join('\n');
}
