/** Columns that line up. Cells are already safe to show; widths count what a terminal shows. */
export interface Column {
  readonly title: string;
  /** Goes on in the next line when the terminal is too narrow. */
  readonly flexible?: boolean;
}

export interface TableOptions {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly string[])[];
  readonly width?: number | undefined;
  readonly paint?: (cell: string, row: number, column: number) => string;
  readonly paintTitle?: (cell: string) => string;
}

const GAP = '  ';

export function table({
  columns,
  rows,
  width,
  paint = (cell) => cell,
  paintTitle = (cell) => cell,
}: TableOptions): string {
  const widths = fit(
    { columns, rows, width },
    columns.map(({ title }, i) => Math.max(title.length, ...rows.map((row) => displayWidth(row[i] ?? '')))),
  );
  const lineOf = (cells: readonly string[], painter: (cell: string, column: number) => string) =>
    cells
      .map((cell, i) => {
        const padding =
          i === cells.length - 1 ? '' : ' '.repeat(Math.max(0, (widths[i] as number) - displayWidth(cell)));
        return (cell === '' ? '' : painter(cell, i)) + padding;
      })
      .join(GAP)
      .trimEnd();
  const line = (cells: readonly string[], painter: (cell: string, column: number) => string) => {
    const folded = cells.map((cell, i) => fold(cell, widths[i] as number));
    const height = Math.max(...folded.map(({ length }) => length));
    return Array.from({ length: height }, (_, at) =>
      lineOf(
        folded.map((parts) => parts[at] ?? ''),
        painter,
      ),
    ).join('\n');
  };
  return [
    line(
      columns.map(({ title }) => title),
      (cell) => paintTitle(cell),
    ),
    ...rows.map((row, at) => line(row, (cell, i) => paint(cell, at, i))),
  ]
    .join('\n')
    .concat('\n');
}

/** No column is made narrower, and no word of up to so many is cut as long as there is another way. */
const [SMALLEST, WORD] = [8, 32];

/** Takes what is over the terminal's width from the flexible columns, the widest first: between words, then within them. */
function fit({ columns, rows, width }: TableOptions, widths: number[]): number[] {
  if (width === undefined) return widths;
  const words = columns.map((_, i) =>
    Math.max(SMALLEST, ...rows.flatMap((row) => wordsOf(row[i] ?? '').map((word) => displayWidth(word.trimEnd())))),
  );
  for (const least of [words.map((one) => Math.min(one, WORD)), columns.map(() => SMALLEST)]) {
    let over = widths.reduce((sum, one) => sum + one, 0) + GAP.length * (columns.length - 1) - width;
    for (; over > 0; over--) {
      const [widest] = columns
        .map((_, i) => i)
        .filter((i) => columns[i]?.flexible === true && (widths[i] as number) > (least[i] as number))
        .sort((a, b) => (widths[b] as number) - (widths[a] as number));
      if (widest === undefined) break;
      widths[widest] = (widths[widest] as number) - 1;
    }
  }
  return widths;
}

/** At spaces, slashes and commas; in a word that has no room, at its other signs, else where the line ends. */
function fold(cell: string, width: number): string[] {
  const lines: string[] = [''];
  for (const piece of displayWidth(cell) <= width ? [cell] : pieces(cell, width)) {
    const last = lines.at(-1) as string;
    if (last === '' || displayWidth(last + piece.trimEnd()) <= width) lines[lines.length - 1] = last + piece;
    else lines.push(piece);
  }
  return lines.map((line) => line.trimEnd());
}

const wordsOf = (cell: string) => cell.match(/[^\s/,;]*[\s/,;]?/g)?.filter((word) => word !== '') ?? [];
const partsOf = (word: string) => word.match(/[^:@=-]*[:@=-]?/g)?.filter((part) => part !== '') ?? [];

function pieces(cell: string, width: number): string[] {
  const fits = (piece: string) => displayWidth(piece.trimEnd()) <= width;
  return wordsOf(cell)
    .flatMap((word) => (fits(word) ? [word] : partsOf(word)))
    .flatMap((part) => (fits(part) ? [part] : chunks(part, width)));
}

function chunks(word: string, width: number): string[] {
  const lines: string[] = [''];
  for (const character of word) {
    const last = lines.at(-1) as string;
    if (last === '' || displayWidth(last + character) <= width) lines[lines.length - 1] = last + character;
    else lines.push(character);
  }
  return lines;
}

/** East Asian wide characters take two places; combining marks none. */
function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) {
    if (/\p{Mark}/u.test(character)) continue;
    width +=
      /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u.test(
        character,
      )
        ? 2
        : 1;
  }
  return width;
}
