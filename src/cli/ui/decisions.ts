import type { Decision } from '../../decide/decide.ts';
import { showBytes } from '../../host/bytes.ts';
import type { Context } from '../context.ts';
import { painter } from './colour.ts';
import { table } from './table.ts';

const VERDICT_COLOUR = { pass: 'green', drop: 'dim', set: 'cyan', credential: 'yellow' } as const;

/** The contract's JSON: name, verdict, rule, origin, reason; never a value. */
export function decisionsAsJson(decisions: readonly Decision[]): object[] {
  return decisions.map(({ name, verdict, rule, origin, reason }) => ({
    name: showBytes(name),
    verdict,
    rule,
    origin,
    reason,
  }));
}

export function decisionTable(decisions: readonly Decision[], context: Context): string {
  const paint = painter(context.colour.out);
  return table({
    columns: [
      { title: 'NAME' },
      { title: 'VERDICT' },
      { title: 'RULE' },
      { title: 'WRITTEN IN' },
      { title: 'WHY', flexible: true },
    ],
    rows: decisions.map(({ name, verdict, rule, origin, reason }) => [showBytes(name), verdict, rule, origin, reason]),
    width: context.columns,
    paint: (cell, row, column) =>
      column === 1 ? paint(VERDICT_COLOUR[decisions[row]?.verdict ?? 'drop'], cell) : cell,
    paintTitle: (cell) => paint('bold', cell),
  });
}

/** `DATABASE_URL is dropped: no rule admits it (rule default, written in built-in order).` */
export function decisionSentence({ name, verdict, rule, origin, reason }: Decision): string {
  const verb = { pass: 'is passed on', drop: 'does not arrive', set: 'is set', credential: 'is injected' }[verdict];
  return `${showBytes(name)} ${verb}: ${reason} (rule: ${rule}, written in: ${origin}).\n`;
}

export function decisionSummary(decisions: readonly Decision[]): string {
  const count = (verdict: Decision['verdict']) => decisions.filter((decision) => decision.verdict === verdict).length;
  return `${count('pass')} passed, ${count('drop')} dropped, ${count('set')} set, ${count('credential')} injected\n`;
}
