import { explain } from '../../decide/explain.ts';
import type { Bytes } from '../../host/bytes.ts';
import type { Context } from '../context.ts';
import { hasFlag, JSON_FLAG, parseArguments } from '../flags.ts';
import { POLICY_FLAGS, policyFromFlags } from '../policy-flags.ts';
import { decisionSentence, decisionSummary, decisionsAsJson, decisionTable } from '../ui/decisions.ts';
import { showWarnings } from '../ui/warnings.ts';

export async function run(args: readonly Bytes[], context: Context): Promise<number> {
  const parsed = parseArguments(args, { flags: [...POLICY_FLAGS, JSON_FLAG] });
  const names = [...parsed.words, ...(parsed.rest ?? [])];
  const policy = await policyFromFlags(parsed, context);
  showWarnings(policy.warnings, context);
  const decisions = explain(policy, context.env, names);
  if (hasFlag(parsed, '--json')) context.out(`${JSON.stringify(decisionsAsJson(decisions), null, 2)}\n`);
  else if (names.length > 0) for (const decision of decisions) context.out(decisionSentence(decision));
  else context.out(`${decisionTable(decisions, context)}\n${decisionSummary(decisions)}`);
  return 0;
}
