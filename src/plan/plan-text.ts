import { type Bytes, bytesOfText } from '../host/bytes.ts';
import { sealedEntries } from '../seal/seal.ts';
import { planLine, textLine } from './field.ts';
import { placeLines } from './places/index.ts';
import type { LaunchPlan, Records } from './plan.ts';
import { seccompProgram } from './seccomp/index.ts';

export const PLAN_HEADER = 'cordon-plan 2';

const HIDDEN = '***' as Bytes;

/** The plan as the launcher reads it. Only the pipe to the launcher gets the values; for people they are `***`. */
export function planText(plan: LaunchPlan, values: 'with-values' | 'hidden', parent?: number): string {
  const reveal = values === 'with-values';
  return [
    PLAN_HEADER,
    ...(parent === undefined ? [] : [`parent ${parent}`]),
    planLine('name', bytesOfText(plan.name)),
    ...sealedEntries(plan.env).map(([name, value]) => planLine('set', name, reveal ? value.reveal() : HIDDEN)),
    ...(plan.command.search === undefined ? [] : [planLine('search', ...plan.command.search)]),
    planLine('command', plan.command.path),
    ...plan.command.argv.map((argument) => planLine('arg', argument)),
    ...(plan.look ? ['look'] : []),
    ...(plan.quiet ? ['quiet'] : []),
    ...(plan.summary ? ['summary'] : []),
    ...(plan.onTerminal ? ['on-terminal'] : []),
    ...(plan.trace === undefined ? [] : [textLine('trace', plan.trace)]),
    ...containmentLines({ ...plan, supervise: true, abstractSockets: 'cut off' }, values),
    ...recordLines(plan.records),
    'end',
    '',
  ].join('\n');
}

/** How the command is held, whether it is started once or through a shim. */
export interface Containment extends Pick<LaunchPlan, 'isolation' | 'explicit' | 'bwrap' | 'places' | 'arch'> {
  readonly limits?: LaunchPlan['limits'];
  readonly supervise: boolean;
  readonly abstractSockets: 'cut off' | 'as outside';
}

export function containmentLines(held: Containment, values: 'with-values' | 'hidden'): string[] {
  const supervision = held.supervise ? ['supervise'] : [];
  if (held.isolation === 'filter') return ['isolation filter', ...supervision];
  return [
    `isolation ${held.isolation}`,
    ...supervision,
    ...(held.explicit === undefined ? [] : [textLine('explicit', held.explicit)]),
    ...(held.bwrap === undefined ? [] : [textLine('bwrap', held.bwrap)]),
    ...placeLines(held.places, values),
    ...lockdownLines(held),
  ];
}

function lockdownLines({ arch, abstractSockets, limits = [] }: Containment): string[] {
  return [
    ...(arch === undefined ? [] : [`seccomp ${Buffer.from(seccompProgram(arch)).toString('base64')}`]),
    ...(abstractSockets === 'cut off' ? ['landlock-scope'] : []),
    'limit core 0',
    ...limits.map(({ resource, value }) => `limit ${resource} ${value}`),
  ];
}

export function recordLines(records: Records | undefined): string[] {
  return [
    ...(records?.launch === undefined ? [] : [textLine('launch', records.launch)]),
    ...(records?.audit === undefined
      ? []
      : [textLine('audit', records.audit.file), textLine('audit-head', records.audit.head)]),
    ...(records === undefined ? [] : [textLine('warn-dir', records.stateFolder)]),
  ];
}
