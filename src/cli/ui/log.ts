import { type Bytes, bytesOfText, showBytes } from '../../host/bytes.ts';
import type { Prepared } from '../../launch/prepare.ts';
import type { Context } from '../context.ts';
import { decisionSummary } from './decisions.ts';

const LOG = bytesOfText('CORDON_LOG');

export function logsLaunches({ env }: Pick<Context, 'env'>): boolean {
  const level = env.get(LOG);
  return level === 'info' || level === 'debug';
}

/** CORDON_LOG=info says what was decided in numbers, debug name by name; both on stderr, before the start, never a value. */
export function logLaunch({ decisions, plan }: Prepared, context: Context): void {
  if (!logsLaunches(context)) return;
  const level = context.env.get(LOG);
  const say = (text: string) => context.err(`cordon: ${level}: ${plan.name}: ${text}\n`);
  say(`${decisionSummary(decisions).trim()}, isolation ${plan.isolation}`);
  if (level === ('debug' as Bytes)) {
    for (const { name, verdict, rule, origin } of decisions) say(`${verdict} ${showBytes(name)} (${rule}, ${origin})`);
  }
}
