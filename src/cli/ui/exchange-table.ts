import type { Fate, Row } from '../../exchange/fate.ts';
import { showText } from '../../host/bytes.ts';
import type { Context } from '../context.ts';
import { table } from './table.ts';

const COLOURS = { same: 'green', narrower: 'green', wider: 'red', "can't be said": 'yellow' } as const satisfies Record<
  Fate,
  string
>;

/** What becomes of everything one side says. What is about something else stands in one line below. */
export function exchangeTable(rows: readonly Row[], context: Pick<Context, 'colour' | 'columns'>): string {
  const told = rows.filter(({ aside }) => aside !== true);
  const asides = rows.filter(({ aside }) => aside === true).map(({ key }) => showText(key));
  const text = table(
    {
      titles: ['SAYS', 'BECOMES', 'HOW'],
      fold: ['HOW'],
      rows: told.map(({ key, fate, note }) => [key, fate, note].map(showText)),
      style: (row, column) => (column === 1 ? COLOURS[told[row]?.fate ?? 'same'] : undefined),
    },
    context,
  );
  return asides.length === 0 ? text : `${text}Not about what a command may see: ${asides.join(', ')}\n`;
}

/** What has to be accepted, as the flags that accept it. */
export function acceptHint(refused: readonly Row[], what: string, source: string): string {
  const flags = refused.map(({ key }) => `--accept '${key.replace(/'/g, "'\\''")}'`);
  const points = refused.length === 1 ? 'one point' : `${refused.length} points`;
  return `cordon: ${what}: ${points} would let more through than ${source}\n  hint: accept what you can live with: ${flags.join(' ')}\n`;
}
