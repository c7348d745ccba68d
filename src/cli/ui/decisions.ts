import type { Decision } from '../../decide/decide.ts';
import { showBytes } from '../../host/bytes.ts';
import type { Context } from '../context.ts';
import { painter } from './colour.ts';
import { wrap } from './definitions.ts';

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

/** What has the same verdict for the same reason stands together; names are wrapped, never cut. */
export function decisionGroups(decisions: readonly Decision[], context: Pick<Context, 'columns' | 'colour'>): string {
  const paint = painter(context.colour.out);
  const groups = new Map<string, Decision[]>();
  for (const decision of decisions) {
    const key = JSON.stringify([decision.verdict, decision.origin, decision.reason]);
    groups.set(key, [...(groups.get(key) ?? []), decision]);
  }
  const room = context.columns === undefined ? Number.POSITIVE_INFINITY : Math.max(20, context.columns - 2);
  const sorted = [...groups.values()].toSorted((a, b) => ORDER.indexOf(verdictOf(a)) - ORDER.indexOf(verdictOf(b)));
  return sorted
    .flatMap((group) => {
      const { origin, reason } = group[0] as Decision;
      const [first = '', ...more] = wrap(`${TITLES[verdictOf(group)]}: ${reason} (${origin})`, room);
      const names = wrap(group.map(({ name }) => showBytes(name)).join(' '), room);
      return [paint(VERDICT_COLOUR[verdictOf(group)], first), ...[...more, ...names].map((line) => `  ${line}`)];
    })
    .join('\n')
    .concat('\n');
}

const ORDER = ['set', 'credential', 'pass', 'drop'] as const;
const TITLES = { pass: 'PASSED', drop: 'DROPPED', set: 'SET', credential: 'INJECTED' } as const;
const verdictOf = ([first]: readonly Decision[]) => (first as Decision).verdict;

/** `DATABASE_URL is dropped: no rule admits it (rule default, written in built-in order).` */
export function decisionSentence({ name, verdict, rule, origin, reason }: Decision): string {
  const verb = { pass: 'is passed on', drop: 'does not arrive', set: 'is set', credential: 'is injected' }[verdict];
  return `${showBytes(name)} ${verb}: ${reason} (rule: ${rule}, written in: ${origin}).\n`;
}

export function decisionSummary(decisions: readonly Decision[]): string {
  const count = (verdict: Decision['verdict']) => decisions.filter((decision) => decision.verdict === verdict).length;
  return `${count('pass')} passed, ${count('drop')} dropped, ${count('set')} set, ${count('credential')} injected\n`;
}
