import { existsSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  type Change,
  type ChangeRecord,
  isReadable,
  readRecords,
  type UnreadableRecord,
} from '../../changes/record.ts';
import { type Bytes, bytesOfText, showBytes } from '../../host/bytes.ts';
import { CordonError } from '../../host/errors.ts';
import { realBytesOf } from '../../host/files.ts';
import { homesOf, isWithin, workingFolder } from '../../host/folders.ts';
import { CHANGES_FOLDER } from '../../launch/own.ts';
import type { Context } from '../context.ts';
import { type ParsedArguments, usageError } from '../flags.ts';

export interface ChangesAsked {
  readonly words: readonly Bytes[];
  readonly flags: ParsedArguments;
  readonly context: Context;
  readonly json: boolean;
  readonly records: readonly (ChangeRecord | UnreadableRecord)[];
}

export function recordsOf({ folders }: Context): (ChangeRecord | UnreadableRecord)[] {
  return folders.state === undefined ? [] : readRecords(join(folders.state, CHANGES_FOLDER));
}

interface Selected {
  readonly record: ChangeRecord;
  readonly changes: readonly Change[];
  /** The paths that were named. */
  readonly named: readonly Bytes[];
}

export const isLaunch = (word: Bytes) => /^[0-9][0-9-]*$/.test(word);

/** The launch is told by its id, its beginning or its end; without one it is the newest. What follows are paths. */
export function select({ words, records, context }: ChangesAsked): Selected {
  const [first, ...rest] = words;
  const launch = first === undefined || !isLaunch(first) ? undefined : first;
  const paths = launch === undefined ? words : rest;
  if (paths.includes('' as Bytes)) throw usageError('an empty word names no path', 'leave it out');
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
    .filter((change) => realBytesOf(change.path) === path)
    .map(({ was: _, ...change }) => ({ ...change, path }));
}

export function launchNamed(id: Bytes, records: ChangesAsked['records']): ChangeRecord | UnreadableRecord {
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
