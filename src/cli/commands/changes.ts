import { existsSync } from 'node:fs';
import { type Applied, applyChanges, hasMode } from '../../changes/apply.ts';
import { fileDiff, realSide, type Side } from '../../changes/diff.ts';
import { dropKept, dropOtherVersions, keptLayers } from '../../changes/kept.ts';
import { needsNaming, type Surroundings, surroundingsOf, whatItRuns } from '../../changes/marks.ts';
import { baseOf, type Change, type ChangeRecord, contentOf, dropChanges, dropRecord } from '../../changes/record.ts';
import { type Bytes, bufferOfBytes, showBytes, showText } from '../../host/bytes.ts';
import { isWithin } from '../../host/folders.ts';
import { layersFolderOf } from '../../launch/own.ts';
import { nearest } from '../../policy/nearest.ts';
import { CHANGES_FLAGS } from '../command-flags.ts';
import { type Context, jsonText } from '../context.ts';
import { hasFlag, type ParsedArguments, parseArguments, usageError } from '../flags.ts';
import { type ChangesAsked, isLaunch, launchNamed, recordsOf, select } from './changes-asked.ts';
import { count, list, show } from './changes-shown.ts';

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
  const asked: ChangesAsked = {
    words,
    flags: parsed,
    context,
    json: hasFlag(parsed, '--json'),
    records: recordsOf(context),
  };
  checkFlags(action, parsed);
  return ACTIONS[action](asked);
}

/** What is no action, no launch and no path is a word that somebody mistyped. */
function unknown(word: Bytes): Error {
  const near = nearest(showBytes(word), Object.keys(ACTIONS));
  const hint = near === undefined ? `it takes ${Object.keys(ACTIONS).join(', ')}` : `did you mean ${near}?`;
  return usageError(
    `changes does not know '${showBytes(word)}'`,
    `${hint}\na path is shown with: cordon changes show ./${showBytes(word)}`,
  );
}

function checkFlags(action: Action, flags: ParsedArguments): void {
  const belongs = { '--force': 'apply', '--kept': 'drop', '--all': 'drop' } as const;
  for (const [flag, owner] of Object.entries(belongs))
    if (hasFlag(flags, flag) && owner !== action) throw usageError(`${flag} belongs to cordon changes ${owner}`);
}

// ── diff ──

/** Of the workspace where it was put aside, so that `git apply` takes it there; else from `/`. */
function diff(asked: ChangesAsked): number {
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
  const real = change.was?.kind === 'file' ? realSide(change.path) : undefined;
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

function apply(asked: ChangesAsked): number {
  const { context, flags, json } = asked;
  const { record, changes, named } = select(asked);
  const around = surroundingsOf(context.env);
  const runs = changes.filter(
    (change) => !named.includes(change.path) && needsNaming(change, record, around) && !isAlreadySo(record, change),
  );
  const results = applyChanges(
    record,
    changes.filter((change) => !runs.includes(change)),
    { force: hasFlag(flags, '--force'), held: runs },
  );
  if (json) context.out(jsonText([...results.map(aboutApplied), ...runs.map(aboutHeld)]));
  else tellApplied(results, runs, asked, { record, around });
  return results.some(({ outcome }) => outcome === 'refused') || runs.length > 0 ? 1 : 0;
}

/** What starts programs need not be named again once it was taken over. */
function isAlreadySo(record: ChangeRecord, change: Change): boolean {
  if (change.kind === 'gone') return !existsSync(bufferOfBytes(change.path));
  if (change.kind !== 'file' || change.credential || change.base !== undefined) return false;
  const content = contentOf(record, change);
  const real = realSide(change.path);
  return content !== undefined && real?.content.equals(content) === true && hasMode(change, real.mode);
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

/** One line for hundreds of files that stay as they are on account of another one. */
function tellOfHistory(history: Bytes, all: readonly Bytes[], context: Context, { launch }: ChangeRecord): void {
  const count = all.filter((one) => one === history).length;
  const path = showBytes(history);
  context.err(
    `cordon: ${path}: the history is taken over together or not at all, so ${count} more ${count === 1 ? 'file is' : 'files are'} not applied; commit what was taken over yourself, or take the command's history instead of your own: cordon changes apply --force ${launch} ${path}\n`,
  );
}

const DONE: Readonly<Record<string, string>> = { gone: 'removed' };

function tellApplied(
  results: readonly Applied[],
  runs: readonly Change[],
  { context, flags }: ChangesAsked,
  { record, around }: { readonly record: ChangeRecord; readonly around: Surroundings },
): void {
  if (results.every(({ outcome }) => outcome === 'same') && runs.length === 0) {
    context.out('nothing to take over: everything is already so\n');
    return;
  }
  for (const result of results) if (result.history === undefined) tellOne(result, context);
  const histories = results.flatMap(({ history }) => history ?? []);
  for (const history of new Set(histories)) tellOfHistory(history, histories, context, record);
  for (const change of runs)
    context.err(
      `cordon: ${showBytes(change.path)} is not applied: it is ${whatItRuns(change, record, around)}; to take it over, name it\n`,
    );
  if (results.some(({ forcible }) => forcible) && !hasFlag(flags, '--force'))
    context.err(
      `cordon: --force takes over what was changed since: cordon changes apply --force ${record.launch} PATH\n`,
    );
}

// ── drop ──

function drop(asked: ChangesAsked): number {
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
function dropPaths(asked: ChangesAsked): number {
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
