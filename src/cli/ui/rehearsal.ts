import { showBytes } from '../../host/bytes.ts';
import type { Prepared } from '../../launch/prepare.ts';
import { planText } from '../../plan/plan-text.ts';
import type { FilesystemPolicy, Policy } from '../../policy/policy.ts';
import type { Context } from '../context.ts';
import { painter } from './colour.ts';
import { decisionSummary, decisionsAsJson, decisionTable } from './decisions.ts';
import { placesAsJson, showPlaces } from './places.ts';
import { showStartupNotes, startupNotesAsJson } from './startup-notes.ts';

/** What would happen, through the same code that makes it happen: decisions, what is hidden, and the plan without values. */
export function showRehearsal(
  prepared: Prepared,
  { filesystem }: Pick<Policy, 'filesystem'>,
  json: boolean,
  context: Context,
): number {
  if (json) context.out(`${JSON.stringify(rehearsalAsJson(prepared, filesystem), null, 2)}\n`);
  else {
    const { decisions } = prepared;
    const paint = painter(context.colour.out);
    context.out(`${decisionTable(decisions, context)}\n${decisionSummary(decisions)}\n`);
    context.out(showPlaces(filesystem));
    context.out(showStartupNotes(prepared.startup));
    context.out(`${paint('bold', 'PLAN')}\n${showPlan(prepared)}`);
  }
  return 0;
}

function rehearsalAsJson({ decisions, plan, startup }: Prepared, filesystem: FilesystemPolicy): object {
  return {
    decisions: decisionsAsJson(decisions),
    command: { path: showBytes(plan.command.path), argv: plan.command.argv.map(showBytes) },
    workdir: plan.workdir,
    isolation: plan.isolation,
    bwrap: plan.bwrap ?? null,
    places: placesAsJson(filesystem),
    operations: plan.places.map((place) => (place.kind === 'data' ? { ...place, text: '***' } : place)),
    startup: startupNotesAsJson(startup),
  };
}

/** The seccomp program is a long line that says nothing to a reader. */
function showPlan({ plan }: Prepared): string {
  return Buffer.from(planText(plan, 'hidden'), 'latin1')
    .toString('utf8')
    .replace(/^(seccomp ).*$/m, '$1…');
}
