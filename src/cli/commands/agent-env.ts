import { explain } from '../../decide/explain.ts';
import { showWarnings } from '../context.ts';
import { flagValues, hasFlag, usageError } from '../flags.ts';
import { policyFromFlags } from '../start-policy.ts';
import { decisionGroups, decisionSentence, decisionSummary, decisionsAsJson } from '../ui/decisions.ts';
import type { AgentSubcommand } from './agent.ts';

/** Every variable, and whether the agent gets it. */
export const run: AgentSubcommand['run'] = async (parsed, context) => {
  if (flagValues(parsed, '--agent').length === 0) throw usageError('which agent?', 'cordon agent env NAME');
  const policy = await policyFromFlags(parsed, context);
  showWarnings(policy.warnings, context);
  const decisions = explain(policy, context.env, parsed.words);
  if (hasFlag(parsed, '--json')) context.out(`${JSON.stringify(decisionsAsJson(decisions), null, 2)}\n`);
  else if (parsed.words.length > 0) for (const decision of decisions) context.out(decisionSentence(decision));
  else context.out(`${decisionGroups(decisions, context)}\n${decisionSummary(decisions)}`);
  return 0;
};
