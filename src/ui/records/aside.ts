import { statSync } from 'node:fs';
import { join } from 'node:path';
import { applyChanges } from '../../changes/apply.ts';
import { needsNaming, type Surroundings, surroundingsOf, whatItRuns } from '../../changes/marks.ts';
import { type Change, type ChangeRecord, dropRecord, isReadable, readRecords } from '../../changes/record.ts';
import { showBytes } from '../../host/bytes.ts';
import type { ParentEnv } from '../../host/parent-env.ts';
import { CHANGES_FOLDER } from '../../launch/own.ts';
import type { AppliedFile, AsideFile, PendingChange } from '../api.ts';
import { shortText } from './shape.ts';

const MOST_LAUNCHES = 100;
const MOST_FILES = 500;

/** What launches put aside, by the id of the launch. */
export class AsideRecord {
  readonly #folder: string | undefined;
  readonly #around: Surroundings;
  #seen = -1;
  #records = new Map<string, ChangeRecord>();

  constructor(stateFolder: string | undefined, env: ParentEnv) {
    this.#folder = stateFolder === undefined ? undefined : join(stateFolder, CHANGES_FOLDER);
    this.#around = surroundingsOf(env);
  }

  /** A record comes and goes whole, by a rename, so the folder tells when there is something new. */
  refresh(): void {
    const changed = this.#folder === undefined ? undefined : statSync(this.#folder, { throwIfNoEntry: false })?.mtimeMs;
    if (this.#folder === undefined || this.#seen === changed) return;
    this.#seen = changed ?? -1;
    this.#records = new Map(
      readRecords(this.#folder)
        .filter(isReadable)
        .map((one) => [one.launch, one]),
    );
  }

  countOf(launch: string): number {
    return this.#records.get(launch)?.changes.filter(isFile).length ?? 0;
  }

  of(launch: string): AsideFile[] {
    const record = this.#records.get(launch);
    return record === undefined ? [] : this.#filesOf(record);
  }

  /** Newest first. */
  waiting(): PendingChange[] {
    const newest = [...this.#records.values()].toReversed().slice(0, MOST_LAUNCHES);
    return newest.map((record) => ({
      launch: record.launch,
      command: shortText(showBytes(record.name)),
      time: record.time.getTime(),
      count: record.changes.filter(isFile).length,
      lost: record.lost,
      files: this.#filesOf(record),
    }));
  }

  /** All but what starts programs outside of the workspace: that has to be named, on the command line. Undefined: there is no such launch. */
  apply(launch: string): AppliedFile[] | undefined {
    const record = this.#records.get(launch);
    if (record === undefined) return undefined;
    this.#around.lookedThrough.clear();
    this.#around.git.clear();
    const held = record.changes.filter((change) => needsNaming(change, record, this.#around));
    const applied = applyChanges(
      record,
      record.changes.filter((change) => !held.includes(change)),
      { force: false, held },
    );
    return [
      ...applied
        .filter(({ change, outcome }) => change.kind !== 'folder' || outcome === 'refused')
        .map(({ change, outcome, why = '' }) => ({ path: pathOf(change), outcome, why })),
      ...held.map((change) => ({
        path: pathOf(change),
        outcome: 'refused' as const,
        why: `it is ${whatItRuns(change, record, this.#around)}; to take it over, name it: cordon changes apply ${launch} PATH`,
      })),
    ];
  }

  drop(launch: string): boolean {
    const record = this.#records.get(launch);
    if (record === undefined) return false;
    dropRecord(record);
    this.#seen = -1;
    return true;
  }

  #filesOf(record: ChangeRecord): AsideFile[] {
    return record.changes
      .filter(isFile)
      .slice(0, MOST_FILES)
      .map((change) => ({
        path: pathOf(change),
        kind: kindOf(change),
        runs: whatItRuns(change, record, this.#around) ?? null,
      }));
  }
}

const isFile = ({ kind, was }: Change) => kind !== 'folder' && !(kind === 'gone' && was?.kind === 'folder');
const pathOf = ({ path }: Change) => shortText(showBytes(path), 1000);

function kindOf({ kind, was, credential }: Change): string {
  if (credential === 1) return 'credential, not kept';
  if (kind === 'gone') return 'removed';
  if (kind !== 'file') return kind;
  return was === undefined ? 'new' : 'changed';
}
