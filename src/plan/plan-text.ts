import { type Bytes, bytesOfText } from '../host/bytes.ts';
import { sealedEntries } from '../seal/seal.ts';
import type { Operation } from './places/index.ts';
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
interface Containment extends Pick<LaunchPlan, 'isolation' | 'explicit' | 'bwrap' | 'places' | 'arch'> {
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

/** The lines of the plan. What is kept of a file is nobody else's business: people get `***` for its text. */
export function placeLines(operations: readonly Operation[], values: 'with-values' | 'hidden'): string[] {
  return operations.flatMap((operation) => linesOf(operation, values === 'with-values'));
}

function linesOf(operation: Operation, reveal: boolean): string[] {
  switch (operation.kind) {
    case 'root':
      return [`root ${operation.from}`];
    case 'show':
    case 'hide':
    case 'keep-out':
    case 'keep-read':
    case 'come-back':
    case 'save':
      return operation.paths.length === 0 ? [] : [`# ${operation.why}`, textLine(operation.kind, ...operation.paths)];
    case 'read':
    case 'write':
    case 'try-read':
    case 'try-write':
      return [textLine(operation.kind, operation.path, ...optional(operation.target))];
    case 'private':
      return [textLine('private', operation.path, operation.mode, ...optional(operation.bytes))];
    case 'changes':
      return [textLine('changes', operation.path, String(operation.days), String(operation.bytes))];
    case 'kept':
      return [textLine('kept', operation.path, operation.policy)];
    case 'link':
      return [textLine('link', operation.path, operation.text)];
    case 'data':
      return [planLine('data', bytesOfText(operation.path), reveal ? operation.text : HIDDEN)];
    case 'workspace':
      return [textLine('workspace', operation.path, operation.mode)];
    case 'dev':
      return [textLine('dev', ...optional(operation.bytes))];
    case 'ipc-host':
      return ['ipc host'];
    case 'network-off':
      return ['network off'];
    case 'network-names':
      return [
        'network names',
        ...(operation.ports.length === 0 ? [] : [textLine('listen', ...operation.ports.map(String))]),
        ...operation.local.map(({ address, bits }) => textLine('local', address, String(bits))),
        ...(operation.socket === undefined ? [] : [textLine('socket', operation.socket)]),
        textLine('outside', ...operation.outside),
        planLine('outside-task', reveal ? operation.task : HIDDEN),
      ];
    case 'show-programs':
    case 'proc':
    case 'run':
    case 'mention':
      return [operation.kind];
    default:
      return [textLine(operation.kind, operation.path)];
  }
}

const optional = (field: string | number | undefined) => (field === undefined ? [] : [String(field)]);

/** One field of a plan line (docs/plan-format.md). */
function planField(bytes: Bytes): string {
  return bytes === '' ? '\\e' : bytes.replace(/[\x00-\x20\x7f\\]/g, escapeByte);
}

const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  ' ': '\\s',
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
  '\\': '\\\\',
};

function escapeByte(byte: string): string {
  return SHORT_ESCAPES[byte] ?? `\\x${byte.charCodeAt(0).toString(16).padStart(2, '0')}`;
}

export function planLine(word: string, ...fields: readonly Bytes[]): string {
  return [word, ...fields.map(planField)].join(' ');
}

export const textLine = (word: string, ...fields: readonly string[]) => planLine(word, ...fields.map(bytesOfText));

const MEANINGS: Readonly<Record<string, string>> = { s: ' ', t: '\t', n: '\n', r: '\r', '\\': '\\', e: '' };

/** The bytes a field that `planField` wrote stands for. */
export function bytesOfField(field: string): Bytes {
  return field.replace(/\\(x([0-9a-f]{2})|.)/g, (_, letter: string, hex: string | undefined) =>
    hex === undefined ? (MEANINGS[letter] ?? '') : String.fromCharCode(Number.parseInt(hex, 16)),
  ) as Bytes;
}
