import { countsOf, ownColumn, type Report, verdictOf } from './report.ts';

export type Tone = 'green' | 'red' | 'yellow';

/** One line that says what it comes to, and its colour. */
export function summaryOf(report: Report): readonly [Tone, string] {
  const { leaked, open, blocked, 'not applicable': none } = countsOf(report, ownColumn(report));
  const absent = countsOf(report, 0)['not applicable'];
  const also = [
    ...(open > 0 ? [`${open} open`] : []),
    ...(none > absent ? [`${none - absent} could not be tried under cordon`] : []),
    ...(absent > 0 ? [`${absent} not applicable here`] : []),
  ]
    .map((part) => `; ${part}`)
    .join('');
  if (leaked > 0)
    return ['red', `cordon let ${ways(leaked)} through that the policy promises to hold; ${blocked} blocked${also}`];
  if (!report.complete) return ['red', `time was up before everything was tried; ${blocked} blocked so far`];
  if (verdictOf(report) === 'unproven') return ['red', 'nothing could be tried under cordon, so nothing is proven'];
  if (blocked + open === 0) return ['yellow', 'none of these ways exists on this machine'];
  if (blocked === 0) return ['yellow', `this policy promises to hold nothing of what was tried${also}`];
  const tone = none > absent ? 'yellow' : 'green';
  return [tone, `cordon held what the policy promises: ${ways(blocked)} blocked${also}`];
}

const ways = (count: number) => `${count} ${count === 1 ? 'way' : 'ways'}`;
