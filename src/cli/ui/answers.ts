import type { Answer } from '../../explain/answer.ts';
import { showText } from '../../host/bytes.ts';
import type { Context } from '../context.ts';
import { painter } from './colour.ts';
import { wrap } from './definitions.ts';

/** `name`, `verdict`, `reason` and, where something changes it, `change` with `flag` and `profile`. */
export function answersAsJson(answers: readonly Answer[]): object[] {
  return answers.map(({ kind, name, verdict, rule, origin, reason, change }) => ({
    name,
    verdict,
    rule,
    origin,
    reason,
    kind,
    change: change ?? null,
  }));
}

const VERBS: Readonly<Record<string, string>> = {
  pass: 'is passed on',
  drop: 'does not arrive',
  set: 'is set',
  credential: 'is injected',
  absent: 'is not there',
  copy: 'is a copy',
  real: 'is there as it is',
  reached: 'can be reached',
  'as outside': 'is as outside',
  'put aside': 'is there to read',
};

/** A sentence, then what would change it. */
export function showAnswer(answer: Answer, context: Pick<Context, 'columns' | 'colour'>): string {
  const { name, verdict, reason, rule, origin, change, otherwise } = answer;
  const written = rule === undefined ? '' : ` (rule: ${rule}, written in: ${origin})`;
  const sentence = `${showText(name)} ${VERBS[verdict] ?? `is ${verdict}`}: ${showText(reason)}${written}.`;
  const paint = painter(context.colour.out);
  const details: [string, string | undefined][] =
    change === undefined
      ? [['nothing changes that', '']]
      : [
          [change.effect, change.flag],
          ['in a profile', change.profile],
          ['that gives away', change.gives],
        ];
  if (otherwise !== undefined) details.unshift(['if the program is meant', otherwise]);
  const lines = details.flatMap(([what, text]) => {
    if (text === undefined) return [];
    const whole = text === '' ? what : `${what}: ${showText(text)}`;
    return wrapped(whole, context.columns, '  ').map((line) => paint('dim', line));
  });
  return [...wrapped(sentence, context.columns, ''), ...lines, ''].join('\n');
}

function wrapped(text: string, columns: number | undefined, indent: string): string[] {
  const room = columns === undefined ? Number.POSITIVE_INFINITY : Math.max(20, columns - indent.length - 2);
  return wrap(text, room).map((line, at) => `${indent}${at === 0 ? '' : '  '}${line}`);
}
