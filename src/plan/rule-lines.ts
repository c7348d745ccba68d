import { compileRules, type Rule } from '../decide/rules.ts';
import { type Bytes, bytesOfText } from '../host/bytes.ts';
import type { Policy } from '../policy/policy.ts';
import { planLine } from './plan.ts';

const PLAIN_KINDS: ReadonlySet<Rule['kind']> = new Set(['control', 'never', 'hold', 'allow']);
const WIDTH = 110;

/** The policy's rules as the launcher reads them: the same list, in the same order, that `decide` runs. */
export function ruleLines(policy: Policy): string[] {
  if (policy.guard !== 'off')
    throw new RangeError('the credential guard is not part of a plan: it decides before one is made');
  if (policy.base.preset === 'agent')
    throw new RangeError('the agent base has exceptions to the code-injection list that a plan cannot say');
  return linesOfRules(compileRules(policy));
}

/** Rules that are a pattern and nothing else share a line with their neighbours: fewer lines to read, for people and for every start. */
export function linesOfRules(rules: readonly Rule[]): string[] {
  const lines: string[] = [];
  let open: Rule['kind'] | undefined;
  for (const rule of rules) {
    const line = ruleLine(rule);
    const longer = `${lines.at(-1)}${line.slice(rule.kind.length)}`;
    if (rule.kind === open && longer.length <= WIDTH) lines[lines.length - 1] = longer;
    else lines.push(line);
    open = PLAIN_KINDS.has(rule.kind) ? rule.kind : undefined;
  }
  return lines;
}

function ruleLine({ kind, pattern, except, check }: Rule): string {
  const words: Bytes[] = check === undefined ? [] : [bytesOfText(check)];
  return planLine(kind, ...words, pattern.source, ...except.map(({ source }) => source));
}
