import { type Bytes, bytesOfText } from '../host/bytes.ts';
import { sandboxLock } from '../host/user-lock.ts';
import { sealedEntries } from '../seal/seal.ts';
import type { Containment } from './backends/backend.ts';
import { bubblewrap } from './backends/bubblewrap.ts';
import { filter } from './backends/filter.ts';
import { planLine, textLine } from './field.ts';
import type { FsPlan } from './filesystem/index.ts';
import type { LaunchPlan, Records } from './plan.ts';

const HIDDEN = '***' as Bytes;

/** The plan as the launcher reads it. Only the pipe to the launcher gets the values; for people they are `***`. */
export function planText(plan: LaunchPlan, values: 'with-values' | 'hidden'): string {
  const reveal = values === 'with-values';
  return [
    'cordon-plan 1',
    planLine('name', bytesOfText(plan.name)),
    ...sealedEntries(plan.env).map(([name, value]) => planLine('set', name, reveal ? value.reveal() : HIDDEN)),
    planLine('command', plan.command.path),
    ...plan.command.argv.map((argument) => planLine('arg', argument)),
    ...containmentLines({
      ...plan,
      supervise: true,
      abstractSockets: 'cut off',
      placeholders: plan.filesystem.placeholders,
    }),
    ...dataLines(plan, reveal),
    ...recordLines(plan.records, plan.filesystem.placeholders),
    'end',
    '',
  ].join('\n');
}

/** What is kept of a file is nobody else's business either. */
function dataLines({ isolation, filesystem: { data = [] } }: LaunchPlan, reveal: boolean): string[] {
  if (isolation === 'filter') return [];
  return data.map(({ path, text }) => planLine('data', bytesOfText(path), reveal ? text : HIDDEN));
}

export function containmentLines(held: Containment): string[] {
  return (held.isolation === 'filter' ? filter : bubblewrap).lines(held);
}

export function recordLines(records: Records | undefined, placeholders: FsPlan['placeholders']): string[] {
  const lock = placeholders.length === 0 ? undefined : sandboxLock(records?.stateFolder);
  return [
    ...(records?.audit === undefined
      ? []
      : [textLine('audit', records.audit.file), textLine('audit-head', records.audit.head)]),
    ...(records === undefined ? [] : [textLine('warn-dir', records.stateFolder)]),
    ...(lock === undefined ? [] : [textLine('lock', lock)]),
  ];
}
