// A table of a page: the first column to the left, the others as `align` has it (`---:` right, `:---:` centred).
export const markdownTable = (head, lines, align) =>
  [head, head.map((_, i) => (i === 0 ? '---' : align)), ...lines]
    .map((cells) => `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n');
