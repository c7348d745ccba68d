import { decide } from '../../decide/decide.ts';
import { explain } from '../../decide/explain.ts';
import type { Bytes } from '../../host/bytes.ts';
import { workingFolder } from '../../host/working-folder.ts';
import { startupCopies } from '../../launch/copies.ts';
import { factsOf } from '../../plan/places/index.ts';
import { type StartupNote, startupPolicy } from '../../plan/startup/index.ts';
import type { Policy } from '../../policy/policy.ts';
import type { Context } from '../context.ts';
import { hasFlag, JSON_FLAG, parseArguments } from '../flags.ts';
import { POLICY_FLAGS, policyFromFlags } from '../policy-flags.ts';
import { decisionSentence, decisionSummary, decisionsAsJson, decisionTable } from '../ui/decisions.ts';
import { showPlaces } from '../ui/places.ts';
import { showStartupNotes, withStartupNotes } from '../ui/startup-notes.ts';
import { showWarnings } from '../ui/warnings.ts';

export async function run(args: readonly Bytes[], context: Context): Promise<number> {
  const parsed = parseArguments(args, { flags: [...POLICY_FLAGS, JSON_FLAG] });
  const names = [...parsed.words, ...(parsed.rest ?? [])];
  const policy = await policyFromFlags(parsed, context);
  showWarnings(policy.warnings, context);
  const startup = startupNotes(policy, context);
  const decisions = explain(policy, context.env, names).map((decision) => withStartupNotes(decision, startup));
  if (hasFlag(parsed, '--json')) context.out(`${JSON.stringify(decisionsAsJson(decisions), null, 2)}\n`);
  else if (names.length > 0) for (const decision of decisions) context.out(decisionSentence(decision));
  else
    context.out(
      `${decisionTable(decisions, context)}\n${decisionSummary(decisions)}${showPlaces(policy.filesystem)}${showStartupNotes(startup)}`,
    );
  return 0;
}

/** What shells would bring back from their start-up files, and the copies don't. */
function startupNotes(policy: Policy, { env }: Context): readonly StartupNote[] {
  if (policy.filesystem.preset === 'all') return [];
  return startupCopies(factsOf(env), workingFolder(), startupPolicy(policy, env, decide(policy, env))).notes;
}
