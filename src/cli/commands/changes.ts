import { existsSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Applied, applyChanges } from '../../changes/apply.ts';
import { fileDiff, type Side } from '../../changes/diff.ts';
import { dropKept, dropOtherVersions, type KeptLayer, keptLayers } from '../../changes/kept.ts';
import { needsNaming, surroundingsOf, whatItRuns } from '../../changes/marks.ts';
import { readPlain } from '../../changes/real.ts';
import {
  baseOf,
  type Change,
  type ChangeRecord,
  contentOf,
  dropChanges,
  dropRecord,
  isReadable,
  readRecords,
  type UnreadableRecord,
} from '../../changes/record.ts';
import { type Bytes, bufferOfBytes, bytesOfBuffer, bytesOfText, showBytes, showText } from '../../host/bytes.ts';
import { CordonError } from '../../host/errors.ts';
import { homesOf, isWithin, workingFolder } from '../../host/folders.ts';
import { CHANGES_FOLDER, layersFolderOf } from '../../launch/own.ts';
import { nearest } from '../../policy/nearest.ts';
import { CHANGES_FLAGS } from '../command-flags.ts';
import type { Context } from '../context.ts';
import { hasFlag, type ParsedArguments, parseArguments, usageError } from '../flags.ts';
import { painter } from '../ui/colour.ts';
import { homePath } from '../ui/home-path.ts';
import { table } from '../ui/table.ts';

const ACTIONS = { list, show, diff, apply, drop };
type Action = keyof typeof ACTIONS;
const isAction = (word: string | undefined): word is Action => word !== undefined && Object.hasOwn(ACTIONS, word);

export function run(args: readonly Bytes[], context: Context): number {
  const parsed = parseArguments(args, { flags: CHANGES_FLAGS });
  const [first, ...rest] = [...parsed.words, ...(parsed.rest ?? [])];
  const named = isAction(first) ? first : undefined;
  const words = named === undefined ? [first, ...rest].filter((word) => word !== undefined) : rest;
  const action: Action = named ?? (words.length === 0 ? 'list' : 'show');
  if (named === undefined && first !== undefined && !isLaunch(first) && !first.includes('/')) throw unknown(first);
  const asked: Asked = { words, flags: parsed, context, json: hasFlag(parsed, '--json'), records: recordsOf(context) };
  checkFlags(action, parsed);
  return ACTIONS[action](asked);
}

/** What is no action, no launch and no path is a word that somebody mistyped. */
function unknown(word: Bytes): Error {
  const near = nearest(showBytes(word), Object.keys(ACTIONS));
  const hint = near === undefined ? `it takes ${Object.keys(ACTIONS).join(', ')}` : `did you mean ${near}?`;
  return usageError(
    `changes does not know '${showBytes(word)}'`,
    `${hint}; a path goes with show: ./${showBytes(word)}`,
  );
}

interface Asked {
  readonly words: readonly Bytes[];
  readonly flags: ParsedArguments;
  readonly context: Context;
  readonly json: boolean;
  readonly records: readonly (ChangeRecord | UnreadableRecord)[];
}

function checkFlags(action: Action, flags: ParsedArguments): void {
  const belongs = { '--force': 'apply', '--kept': 'drop', '--all': 'drop' } as const;
  for (const [flag, owner] of Object.entries(belongs))
    if (hasFlag(flags, flag) && owner !== action) throw usageError(`${flag} belongs to cordon changes ${owner}`);
}

function recordsOf({ folders }: Context): (ChangeRecord | UnreadableRecord)[] {
  return folders.state === undefined ? [] : readRecords(join(folders.state, CHANGES_FOLDER));
}

// ── which ones are meant ──

interface Selected {
  readonly record: ChangeRecord;
  readonly changes: readonly Change[];
  /** The paths that were named. */
  readonly named: readonly Bytes[];
}

const isLaunch = (word: Bytes) => /^[0-9][0-9-]*$/.test(word);

/** The launch is told by its id, its beginning or its end; without one it is the newest. What follows are paths. */
function select({ words, records, context }: Asked): Selected {
  const [first, ...rest] = words;
  const launch = first === undefined || !isLaunch(first) ? undefined : first;
  const paths = launch === undefined ? words : rest;
  const record = launch === undefined ? records.filter(isReadable).at(-1) : launchNamed(launch, records);
  if (record === undefined)
    throw new CordonError('changes', 'nothing was put aside', { hint: 'cordon run tells when something is' });
  if (!isReadable(record)) throw unreadable(record);
  if (paths.length === 0) return { record, changes: record.changes, named: [] };
  const wanted = paths.map((path) => absolute(path, record, context));
  const all = [...record.changes, ...wanted.flatMap((path) => behindLinks(record, path))];
  for (const [i, path] of wanted.entries())
    if (!all.some((change) => isWithin(change.path, path)))
      throw new CordonError('changes', `${showBytes(paths[i] as Bytes)} is not among what ${record.launch} put aside`, {
        hint: `cordon changes show ${record.launch} lists it`,
      });
  return {
    record,
    changes: all.filter(({ path }) => wanted.some((one) => isWithin(path, one))),
    named: wanted,
  };
}

/** `~/dotfiles/gitconfig`, to which `~/.gitconfig` leads: what was put aside of the link is taken over where it leads. */
function behindLinks({ changes }: ChangeRecord, path: Bytes): Change[] {
  if (changes.some((change) => isWithin(change.path, path))) return [];
  return changes
    .filter(({ kind, was }) => kind === 'file' && was?.kind === 'link')
    .filter((change) => realOf(change.path) === path)
    .map(({ was: _, ...change }) => ({ ...change, path }));
}

function realOf(path: Bytes): Bytes | undefined {
  try {
    return bytesOfBuffer(realpathSync.native(bufferOfBytes(path), 'buffer'));
  } catch {
    return undefined;
  }
}

function launchNamed(id: Bytes, records: Asked['records']): ChangeRecord | UnreadableRecord {
  const found = records.filter(({ launch }) => launch.startsWith(id) || launch.endsWith(id));
  if (found.length === 1) return found[0] as ChangeRecord;
  const message =
    found.length === 0
      ? `no launch ${showBytes(id)} put anything aside`
      : `${showBytes(id)} may be ${found.length} launches`;
  throw new CordonError('changes', message, { hint: 'cordon changes lists them' });
}

const unreadable = ({ launch, problem }: UnreadableRecord) =>
  new CordonError('changes', `what ${launch} put aside can't be read: ${problem}`, {
    hint: `cordon changes drop ${launch} removes it`,
  });

/** As seen from the working folder, or from the launch's workspace where there is no such path. */
function absolute(path: Bytes, { changes, workspace }: ChangeRecord, context: Context): Bytes {
  const from = (folder: string) => inRealHome(resolveBytes(folder as Bytes, path), context);
  const here = from(bytesOfText(workingFolder()));
  if (workspace === undefined || changes.some((change) => isWithin(change.path, here))) return here;
  return from(workspace);
}

/** A record has real paths, and a shell writes `~` as HOME has it. */
function inRealHome(path: Bytes, { env }: Context): Bytes {
  const { home, passwdHome } = homesOf(env);
  const written = [home, passwdHome].find(
    (one) => one !== undefined && existsSync(one) && isWithin(path, bytesOfText(one)),
  );
  if (written === undefined) return path;
  return `${bytesOfText(realpathSync(written))}${path.slice(bytesOfText(written).length)}` as Bytes;
}

/** Bytes are as good as text for it: nothing but slashes and dots counts. */
const resolveBytes = (folder: Bytes, path: Bytes) => resolve(folder, path) as Bytes;

// ── list and show ──

function list(asked: Asked): number {
  const { context, json, records } = asked;
  if (asked.words.length > 0) throw usageError('list takes no words', 'cordon changes show LAUNCH shows one');
  const kept = keptLayers(layersFolderOf(context.folders.state));
  if (json) {
    const launches = records.map((record) =>
      isReadable(record) ? { ...aboutRecord(record), changes: describeAll(record, record.changes, context) } : record,
    );
    context.out(`${JSON.stringify({ launches, kept: kept.map(aboutKept) }, null, 2)}\n`);
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

function recordTable(records: Asked['records'], context: Context): string {
  const rows = records.map((record) => [
    record.launch,
    showTime(record.time),
    isReadable(record) ? showBytes(record.name) : '-',
    isReadable(record) ? whatWasPut(record) : record.problem,
    showSize(record.bytes),
    isReadable(record) && record.workspace !== undefined ? homePath(showBytes(record.workspace), context) : '-',
  ]);
  const columns = ['LAUNCH', 'TIME', 'COMMAND', 'FILES', 'SIZE'].map((title, i) => ({
    title,
    flexible: i === 2 || i === 3,
  }));
  return table({
    columns: [...columns, { title: 'WORKSPACE', flexible: true }],
    rows,
    width: context.columns,
    paintTitle: (cell) => painter(context.colour.out)('bold', cell),
  });
}

function keptTable(kept: readonly KeptLayer[], context: Context): string {
  return table({
    columns: [{ title: 'COMES BACK' }, { title: 'USED' }, { title: 'SIZE' }, { title: 'WORKSPACE', flexible: true }],
    rows: kept.map(({ policy, used, bytes, workspace }) => [
      policy.slice(0, 12),
      showTime(used),
      showSize(bytes),
      workspace === undefined ? 'none' : homePath(workspace, context),
    ]),
    width: context.columns,
    paintTitle: (cell) => painter(context.colour.out)('bold', cell),
  });
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

function describeAll({ launch }: ChangeRecord, changes: readonly Change[], context: Context): Described[] {
  const around = surroundingsOf(context.env);
  return changes.map((change) => ({
    launch,
    path: showBytes(change.path),
    kind: change.kind,
    size: change.size ?? 0,
    new: change.was === undefined,
    runs: whatItRuns(change, around) ?? null,
    credential: change.credential === 1,
    ...(change.target === undefined ? {} : { target: showBytes(change.target) }),
  }));
}

function show(asked: Asked): number {
  const { context, json } = asked;
  const { record, changes } = select(asked);
  const described = describeAll(record, changes, context);
  if (json) {
    context.out(`${JSON.stringify(described, null, 2)}\n`);
    return 0;
  }
  const paint = painter(context.colour.out);
  context.out(
    table({
      columns: [
        { title: 'WHAT' },
        { title: 'SIZE' },
        { title: 'PATH', flexible: true },
        { title: 'RUNS', flexible: true },
      ],
      rows: described.map((one) => [
        whatOf(one),
        one.kind === 'file' ? showSize(one.size) : '-',
        homePath(withTarget(one), context),
        one.runs ?? '-',
      ]),
      width: context.columns,
      paintTitle: (cell) => paint('bold', cell),
    }),
  );
  if (record.lost > 0) context.err(`cordon: ${record.lost} more could not be kept: there was no room for them\n`);
  return 0;
}

function whatOf({ kind, new: isNew, credential }: Described): string {
  if (credential) return 'credential, not kept';
  if (kind === 'gone') return 'removed';
  return kind === 'file' || kind === 'folder' ? `${isNew ? 'new' : 'changed'} ${kind}` : kind;
}

const withTarget = ({ path, target }: Described) => (target === undefined ? path : `${path} -> ${target}`);

// ── diff ──

/** Of the workspace where it was put aside, so that `git apply` takes it there; else from `/`. */
function diff(asked: Asked): number {
  const { context } = asked;
  const { record, changes, named } = select(asked);
  const files = changes.filter(
    ({ kind, credential, was }) => (kind === 'file' && !credential) || (kind === 'gone' && was?.kind === 'file'),
  );
  const workspace = record.workspace;
  const inside =
    workspace === undefined ? [] : files.filter(({ path }) => isWithin(path, workspace) && !isOfGit(path, workspace));
  const shown = named.length === 0 && inside.length > 0 ? inside : files;
  const root =
    workspace !== undefined && shown.length > 0 && shown.every(({ path }) => isWithin(path, workspace))
      ? workspace
      : '';
  const isTerminal = context.columns !== undefined;
  for (const change of shown) {
    const text = diffOf(record, change, change.path.slice(root.length + 1) as Bytes);
    context.out(isTerminal ? shownLines(text) : text);
  }
  if (shown.length < files.length)
    context.err(
      `cordon: ${files.length - shown.length} more outside the workspace's files: cordon changes diff ${record.launch} /\n`,
    );
  if (root === '' && shown.length > 0 && isTerminal)
    context.err('cordon: paths are those from /: cd / before git apply\n');
  return 0;
}

/** `git apply` takes nothing into its own folder. */
const isOfGit = (path: Bytes, workspace: Bytes) => isWithin(path, `${workspace}/.git` as Bytes);

function diffOf(record: ChangeRecord, change: Change, path: Bytes): string {
  const base = baseOf(record, change);
  const real = change.was?.kind === 'file' ? readPlain(change.path) : undefined;
  const before: Side | undefined =
    base === undefined ? real : { content: base, mode: real?.mode ?? change.mode ?? 0o644 };
  const after: Side | undefined =
    change.kind === 'gone'
      ? undefined
      : { content: contentOf(record, change) ?? Buffer.alloc(0), mode: change.mode ?? 0o644 };
  return fileDiff(path, before, after);
}

/** A file may hold what steers a terminal. */
const shownLines = (text: string) =>
  text
    .split('\n')
    .map((line) => showText(line).replaceAll('\\x09', '\t'))
    .join('\n');

// ── apply ──

function apply(asked: Asked): number {
  const { context, flags, json } = asked;
  const { record, changes, named } = select(asked);
  const around = surroundingsOf(context.env);
  const runs = changes.filter(
    (change) => !named.includes(change.path) && needsNaming(change, record, around) && !isAlreadySo(record, change),
  );
  const results = applyChanges(
    record,
    changes.filter((change) => !runs.includes(change)),
    { force: hasFlag(flags, '--force') },
  );
  if (json) context.out(`${JSON.stringify([...results.map(aboutApplied), ...runs.map(aboutHeld)], null, 2)}\n`);
  else tellApplied(results, runs, asked, record);
  return results.some(({ outcome }) => outcome === 'refused') || runs.length > 0 ? 1 : 0;
}

/** What starts programs need not be named again once it was taken over. */
function isAlreadySo(record: ChangeRecord, change: Change): boolean {
  if (change.kind === 'gone') return !existsSync(bufferOfBytes(change.path));
  if (change.kind !== 'file' || change.credential || change.base !== undefined) return false;
  const content = contentOf(record, change);
  return content !== undefined && readPlain(change.path)?.content.equals(content) === true;
}

const aboutApplied = ({ change, outcome, why }: Applied) => ({
  path: showBytes(change.path),
  kind: change.kind,
  outcome,
  why: why ?? null,
});
const aboutHeld = ({ path, kind }: Change) => ({
  path: showBytes(path),
  kind,
  outcome: 'refused',
  why: 'it starts programs and was not named',
});

function tellOne({ change, outcome, why }: Applied, context: Context): void {
  const path = showBytes(change.path);
  if (outcome === 'refused') context.err(`cordon: ${path} is not applied: ${why}\n`);
  else if (change.kind !== 'folder')
    context.out(`${outcome === 'same' ? 'already so' : (DONE[change.kind] ?? 'applied')} ${path}\n`);
}

const DONE: Readonly<Record<string, string>> = { gone: 'removed' };

function tellApplied(
  results: readonly Applied[],
  runs: readonly Change[],
  { context, flags }: Asked,
  record: ChangeRecord,
): void {
  if (results.every(({ outcome }) => outcome === 'same') && runs.length === 0) {
    context.out('nothing to take over: everything is already so\n');
    return;
  }
  for (const result of results) tellOne(result, context);
  const around = surroundingsOf(context.env);
  for (const change of runs)
    context.err(
      `cordon: ${showBytes(change.path)} is not applied: it is ${whatItRuns(change, around)}; to take it over, name it\n`,
    );
  const stale = results.some(
    ({ outcome, why }) =>
      outcome === 'refused' && why !== undefined && /changed|is there now|not shown|gone since/.test(why),
  );
  if (stale && !hasFlag(flags, '--force'))
    context.err(
      `cordon: --force takes over what was changed since: cordon changes apply --force ${record.launch} PATH\n`,
    );
}

// ── drop ──

function drop(asked: Asked): number {
  const { context, flags, words, records } = asked;
  const kept = hasFlag(flags, '--kept') ? keptLayers(layersFolderOf(context.folders.state)) : [];
  if (words.length === 0 && !hasFlag(flags, '--all') && !hasFlag(flags, '--kept'))
    throw usageError(
      'drop needs a launch or a path',
      'cordon changes drop LAUNCH PATH, --all for every launch, --kept for what comes back',
    );
  if (words.some((word) => !isLaunch(word))) return dropPaths(asked);
  const dropped = hasFlag(flags, '--all') ? records : words.map((word) => launchNamed(word, records));
  for (const record of dropped) dropRecord(record);
  for (const layer of kept) dropKept(layer);
  if (hasFlag(flags, '--kept')) dropOtherVersions(layersFolderOf(context.folders.state));
  const parts = [
    ...(dropped.length > 0 || hasFlag(flags, '--all')
      ? [`what ${count(dropped.length, 'launch', 'launches')} put aside`]
      : []),
    ...(hasFlag(flags, '--kept') ? [`what comes back in ${count(kept.length, 'workspace', 'workspaces')}`] : []),
  ];
  context.out(`dropped ${parts.join(' and ')}\n`);
  return 0;
}

/** Of one launch, the newest unless it is named: what lies at these paths goes, the rest stays. */
function dropPaths(asked: Asked): number {
  const { context, flags } = asked;
  for (const flag of ['--all', '--kept'])
    if (hasFlag(flags, flag))
      throw usageError(`drop with paths and ${flag} do not go together`, 'leave one of them out');
  const { record, changes } = select(asked);
  dropChanges(record, changes);
  for (const { path, kind } of changes) if (kind !== 'folder') context.out(`dropped ${showBytes(path)}\n`);
  if (changes.every(({ kind }) => kind === 'folder'))
    context.out(`dropped ${count(changes.length, 'folder', 'folders')}\n`);
  return 0;
}

const count = (number: number, one: string, many: string) => `${number} ${number === 1 ? one : many}`;
