import { compileRules, type Rule } from '../decide/rules.ts';
import { bytesOfText } from '../host/bytes.ts';
import type { Policy } from '../policy/policy.ts';
import { planLine } from './field.ts';

/** The policy's rules as the launcher reads them: the same list, in the same order, that `decide` runs. */
export function ruleLines(policy: Policy): string[] {
  if (policy.guard !== 'off')
    throw new RangeError('the credential guard is not part of a plan: it decides before one is made');
  if (policy.base.preset === 'agent')
    throw new RangeError('the agent base has exceptions to the code-injection list that a plan cannot say');
  return compileRules(policy).map(ruleLine);
}

function ruleLine({ kind, pattern, except, check }: Rule): string {
  const words = check === undefined ? [] : [bytesOfText(check)];
  return planLine(kind, ...words, pattern.source, ...except.map(({ source }) => source));
}
