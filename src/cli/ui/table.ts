import type { Context } from '../context.ts';
import { type Painter, painter } from './colour.ts';

/** Columns that line up. Cells are already safe to show; widths count what a terminal shows. */
export interface TableOptions {
  readonly titles: readonly string[];
  /** The titles of those columns that go on in the next line when the terminal is too narrow. */
  readonly fold?: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly style?: (row: number, column: number) => Parameters<Painter>[0] | undefined;
}

const GAP = '  ';

export function table(options: TableOptions, { columns: width, colour }: Pick<Context, 'columns' | 'colour'>): string {
  const { titles, rows, style = () => undefined } = options;
  const paint = painter(colour.out);
  const widths = fit(
    options,
    titles.map((title, i) => Math.max(title.length, ...rows.map((row) => displayWidth(row[i] ?? '')))),
    width,
  );
  const lineOf = (cells: readonly string[], styleOf: (column: number) => ReturnType<typeof style>) =>
    cells
      .map((cell, i) => {
        const padding =
          i === cells.length - 1 ? '' : ' '.repeat(Math.max(0, (widths[i] as number) - displayWidth(cell)));
        const named = styleOf(i);
        return (cell === '' || named === undefined ? cell : paint(named, cell)) + padding;
      })
      .join(GAP)
      .trimEnd();
  const line = (cells: readonly string[], styleOf: (column: number) => ReturnType<typeof style>) => {
    const parts = cells.map((cell, i) => folded(cell, widths[i] as number));
    const height = Math.max(...parts.map(({ length }) => length));
    return Array.from({ length: height }, (_, at) =>
      lineOf(
        parts.map((lines) => lines[at] ?? ''),
        styleOf,
      ),
    ).join('\n');
  };
  return [line(titles, () => 'bold'), ...rows.map((row, at) => line(row, (i) => style(at, i))), ''].join('\n');
}

/** No column is made narrower, and no word of up to so many is cut as long as there is another way. */
const [SMALLEST, WORD] = [8, 32];

/** Takes what is over the terminal's width from the flexible columns, the widest first: between words, then within them. */
function fit({ titles, fold = [], rows }: TableOptions, widths: number[], width: number | undefined): number[] {
  if (width === undefined) return widths;
  const words = titles.map((_, i) =>
    Math.max(SMALLEST, ...rows.flatMap((row) => wordsOf(row[i] ?? '').map((word) => displayWidth(word.trimEnd())))),
  );
  for (const least of [words.map((one) => Math.min(one, WORD)), titles.map(() => SMALLEST)]) {
    let over = widths.reduce((sum, one) => sum + one, 0) + GAP.length * (titles.length - 1) - width;
    for (; over > 0; over--) {
      const [widest] = titles
        .map((_, i) => i)
        .filter((i) => fold.includes(titles[i] as string) && (widths[i] as number) > (least[i] as number))
        .sort((a, b) => (widths[b] as number) - (widths[a] as number));
      if (widest === undefined) break;
      widths[widest] = (widths[widest] as number) - 1;
    }
  }
  return widths;
}

/** At spaces, slashes and commas; in a word that has no room, at its other signs, else where the line ends. */
function folded(cell: string, width: number): string[] {
  const lines: string[] = [''];
  for (const piece of displayWidth(cell) <= width ? [cell] : pieces(cell, width)) {
    const last = lines.at(-1) as string;
    if (last === '' || displayWidth(last + piece.trimEnd()) <= width) lines[lines.length - 1] = last + piece;
    else lines.push(piece);
  }
  return lines.map((line) => line.trimEnd());
}

const wordsOf = (cell: string) => cell.match(/[^\s/,;]*[\s/,;]?/g)?.filter((word) => word !== '') ?? [];
const partsOf = (word: string) => word.match(/[^:@=_-]*[:@=_-]?/g)?.filter((part) => part !== '') ?? [];

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
