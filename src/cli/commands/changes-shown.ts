import { type KeptLayer, keptLayers } from '../../changes/kept.ts';
import { surroundingsOf, whatItRuns } from '../../changes/marks.ts';
import { type Change, type ChangeRecord, isReadable } from '../../changes/record.ts';
import { showBytes } from '../../host/bytes.ts';
import { layersFolderOf } from '../../launch/own.ts';
import { type Context, jsonText } from '../context.ts';
import { usageError } from '../flags.ts';
import { homePath } from '../ui/places.ts';
import { table } from '../ui/table.ts';
import { type ChangesAsked, select } from './changes-asked.ts';

export function list(asked: ChangesAsked): number {
  const { context, json, records } = asked;
  if (asked.words.length > 0) throw usageError('list takes no words', 'cordon changes show LAUNCH shows one');
  const kept = keptLayers(layersFolderOf(context.folders.state));
  if (json) {
    const launches = records.map((record) =>
      isReadable(record) ? { ...aboutRecord(record), changes: describeAll(record, record.changes, context) } : record,
    );
    context.out(jsonText({ launches, kept: kept.map(aboutKept) }));
    return 0;
  }
  context.out(records.length === 0 ? 'nothing is put aside\n' : recordTable(records, context));
  if (kept.length > 0) context.out(`\n${keptTable(kept, context)}`);
  return 0;
}

const aboutRecord = ({ launch, time, name, workspace, bytes, lost, changes }: ChangeRecord) => ({
  launch,
  time: time.toISOString(),
  name: showBytes(name),
  workspace: workspace === undefined ? null : showBytes(workspace),
  bytes,
  lost,
  files: countFiles(changes),
});

const aboutKept = ({ policy, workspace, used, bytes }: KeptLayer) => ({
  policy,
  workspace: workspace ?? null,
  used: used.toISOString(),
  bytes,
});

const countFiles = (changes: readonly Change[]) =>
  changes.filter(
    ({ kind, credential, was }) => kind !== 'folder' && !credential && !(kind === 'gone' && was?.kind === 'folder'),
  ).length;

/** How many files; where there are none, what else there is. */
function whatWasPut({ changes, lost }: ChangeRecord): string {
  const files = countFiles(changes);
  if (files > 0) return String(files);
  const hidden = changes.filter(({ credential }) => credential).length;
  if (hidden > 0) return `${hidden} not kept`;
  return changes.length > 0 ? count(changes.length, 'folder', 'folders') : `${lost} lost`;
}

function recordTable(records: ChangesAsked['records'], context: Context): string {
  const rows = records.map((record) => [
    record.launch,
    showTime(record.time),
    isReadable(record) ? showBytes(record.name) : '-',
    isReadable(record) ? whatWasPut(record) : record.problem,
    showSize(record.bytes),
    isReadable(record) && record.workspace !== undefined ? homePath(showBytes(record.workspace), context) : '-',
  ]);
  const titles = ['LAUNCH', 'TIME', 'COMMAND', 'FILES', 'SIZE', 'WORKSPACE'];
  return table({ titles, fold: ['COMMAND', 'FILES', 'WORKSPACE'], rows }, context);
}

function keptTable(kept: readonly KeptLayer[], context: Context): string {
  const rows = kept.map(({ policy, used, bytes, workspace }) => [
    ...[policy.slice(0, 12), showTime(used), showSize(bytes)],
    workspace === undefined ? 'none' : homePath(workspace, context),
  ]);
  return table({ titles: ['COMES BACK', 'USED', 'SIZE', 'WORKSPACE'], fold: ['WORKSPACE'], rows }, context);
}

const showTime = (time: Date) => time.toISOString().replace('T', ' ').slice(5, 16);

function showSize(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB'];
  const power = Math.min(units.length - 1, bytes < 1 ? 0 : Math.floor(Math.log2(bytes) / 10));
  return `${power === 0 ? bytes : (bytes / 1024 ** power).toFixed(1)} ${units[power]}`;
}

interface Described {
  readonly launch: string;
  readonly path: string;
  readonly kind: string;
  readonly size: number;
  readonly new: boolean;
  /** What it would run once it is applied. */
  readonly runs: string | null;
  readonly credential: boolean;
  readonly target?: string;
}

function describeAll(record: ChangeRecord, changes: readonly Change[], context: Context): Described[] {
  const around = surroundingsOf(context.env);
  return changes.map((change) => ({
    launch: record.launch,
    path: showBytes(change.path),
    kind: change.kind,
    size: change.size ?? 0,
    new: change.was === undefined,
    runs: whatItRuns(change, record, around) ?? null,
    credential: change.credential === 1,
    ...(change.target === undefined ? {} : { target: showBytes(change.target) }),
  }));
}

export function show(asked: ChangesAsked): number {
  const { context, json } = asked;
  const { record, changes } = select(asked);
  const described = describeAll(record, changes, context);
  if (json) {
    context.out(jsonText(described));
    return 0;
  }
  const rows = described.map((one) => [
    ...[whatOf(one), one.kind === 'file' ? showSize(one.size) : '-'],
    ...[homePath(withTarget(one), context), one.runs ?? '-'],
  ]);
  context.out(table({ titles: ['WHAT', 'SIZE', 'PATH', 'RUNS'], fold: ['PATH', 'RUNS'], rows }, context));
  if (record.lost > 0) context.err(`cordon: ${record.lost} more could not be kept: there was no room for them\n`);
  return 0;
}

function whatOf({ kind, new: isNew, credential }: Described): string {
  if (credential) return 'credential, not kept';
  if (kind === 'gone') return 'removed';
  return kind === 'file' || kind === 'folder' ? `${isNew ? 'new' : 'changed'} ${kind}` : kind;
}

const withTarget = ({ path, target }: Described) => (target === undefined ? path : `${path} -> ${target}`);

export const count = (number: number, one: string, many: string) => `${number} ${number === 1 ? one : many}`;
