import { type Bytes, bytesOfText } from '../host/bytes.ts';
import { sandboxLock } from '../host/user-lock.ts';
import { sealedEntries } from '../seal/seal.ts';
import { planField, planLine } from './field.ts';
import type { FsPlan } from './filesystem/index.ts';
import type { LaunchPlan, Records } from './plan.ts';
import { seccompProgram } from './seccomp/index.ts';

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

/** How the command is held, whether it is started once or through a shim. */
export interface Containment extends Pick<LaunchPlan, 'isolation' | 'explicit' | 'bwrap' | 'sandbox' | 'arch'> {
  readonly limits?: LaunchPlan['limits'];
  readonly supervise: boolean;
  readonly abstractSockets: 'cut off' | 'as outside';
  readonly placeholders: FsPlan['placeholders'];
}

/** In `sandbox` arguments: the folder the command is started in. No argument of a program can hold a NUL. */
export const WORKING_FOLDER = '\0';

export function containmentLines(held: Containment): string[] {
  const supervise = held.supervise ? ['supervise'] : [];
  if (held.isolation === 'filter') return ['isolation filter', ...supervise];
  return [
    `isolation ${held.isolation}`,
    ...supervise,
    ...(held.explicit === undefined ? [] : [line('explicit', held.explicit)]),
    ...(held.bwrap === undefined ? [] : [line('bwrap', held.bwrap)]),
    ...held.sandbox.map(sandboxLine),
    ...(held.arch === undefined ? [] : [`seccomp ${Buffer.from(seccompProgram(held.arch)).toString('base64')}`]),
    ...(held.abstractSockets === 'cut off' ? ['landlock-scope'] : []),
    'limit core 0',
    ...(held.limits ?? []).map(({ resource, value }) => `limit ${resource} ${value}`),
    ...held.placeholders.map(({ kind, path, text }) =>
      line('placeholder', kind, path, ...(text === undefined ? [] : [text])),
    ),
  ];
}

function sandboxLine(fields: readonly string[]): string {
  return ['sandbox', ...fields.map((field) => (field === WORKING_FOLDER ? '\\c' : planField(bytesOfText(field))))].join(
    ' ',
  );
}

export function recordLines(records: Records | undefined, placeholders: FsPlan['placeholders']): string[] {
  if (records === undefined) return [];
  return [
    ...(records.audit === undefined ? [] : [line('audit', records.audit.file), line('audit-head', records.audit.head)]),
    line('warn-dir', records.stateFolder),
    ...(placeholders.length === 0 ? [] : [line('lock', sandboxLock(records.stateFolder))]),
  ];
}

const line = (word: string, ...fields: readonly string[]) => planLine(word, ...fields.map(bytesOfText));
