import { type BigIntStats, type Dirent, readdirSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { namesIn, quietly } from '../host/files.ts';
import {
  cutAtStar,
  inEveryHome,
  isNamedBy,
  type Path,
  type PlaceFacts,
  pathOf,
  pathsOf,
  plainOf,
} from '../plan/places/index.ts';
import {
  AMONG_INSTALLED,
  DEEPEST,
  DEEPEST_IN_CONFIG,
  isBackup,
  isFetched,
  isInConfig,
  isToolsSettings,
  LOOKED_THROUGH,
  MOST_FILES,
  MOST_IN_CONFIG,
  mayBeSettings,
  mayHoldClones,
} from '../plan/settings/index.ts';

export interface SettingsFiles {
  /** To be looked through. */
  readonly files: readonly Path[];
  /** Copies that were left of settings: nothing inside needs them. */
  readonly backups: readonly Path[];
  /** Folders with more in them, or deeper down, than can be looked through. */
  readonly tooMany: readonly Path[];
  /** What was looked for, as it was before; undefined: it is not there. */
  readonly places: ReadonlyMap<Path, BigIntStats | undefined>;
}

/** The settings of any program, where they are shown. Of a toolchain it sees the first folder and those that are called as settings are. */
export function settingsFiles(facts: PlaceFacts): SettingsFiles {
  const walk = new Walk();
  for (const place of LOOKED_THROUGH)
    for (const path of inEveryHome([place], facts).flatMap((one) => pathsOf([plainOf(one) ?? ''])))
      walk.take(path, isInConfig(place));
  for (const pattern of inEveryHome(AMONG_INSTALLED, facts)) {
    const { folder, name, rest } = cutAtStar(pattern) ?? { folder: '' as Path, name: '', rest: [] };
    if (walk.look(folder)?.isDirectory() !== true) continue;
    const names = namesIn(folder).filter((one) => isNamedBy(one, name));
    walk.files.push(...names.flatMap((one) => pathsOf([[folder, one, ...rest].join('/')])));
  }
  return walk;
}

class Walk implements SettingsFiles {
  readonly files: Path[] = [];
  readonly backups: Path[] = [];
  readonly tooMany: Path[] = [];
  readonly places = new Map<Path, BigIntStats | undefined>();

  look(path: Path): BigIntStats | undefined {
    const stats = quietly(() => statSync(path, { bigint: true, throwIfNoEntry: false }));
    this.places.set(path, stats);
    return stats;
  }

  take(path: Path, isConfig: boolean): void {
    const stats = this.look(path);
    if (stats?.isFile() === true) this.files.push(path);
    if (stats?.isDirectory() !== true) return;
    if (isConfig) this.#enterWhole(path, this.files.length + MOST_IN_CONFIG, 1);
    else this.#enterTools(path);
  }

  #enterTools(path: Path): void {
    const before = this.files.length;
    this.#enter(path, DEEPEST);
    if (this.files.length - before <= MOST_FILES) return;
    this.files.splice(before);
    this.tooMany.push(path);
  }

  #enter(folder: Path, deeper: number): void {
    for (const { path, name, isFolder } of entriesOf(folder)) {
      if (!isFolder) this.#meet(path, name, false);
      else if (deeper > 1 && isToolsSettings(name) && this.look(path) !== undefined) this.#enter(path, deeper - 1);
    }
  }

  /** Its own files before its folders, so that a large folder costs itself and nothing beside it. */
  #enterWhole(folder: Path, most: number, depth: number): void {
    const before = this.files.length;
    const entries = entriesOf(folder);
    for (const { path, name, isFolder } of entries) if (!isFolder) this.#meet(path, name, true);
    if (this.files.length > most || depth > DEEPEST_IN_CONFIG) {
      this.files.splice(before);
      this.tooMany.push(folder);
      return;
    }
    for (const { path, name, isFolder } of entries)
      if (isFolder && !this.#isOfOthers(folder, path, name)) this.#enterWhole(path, most, depth + 1);
  }

  /** Of a clone, only where it came from is looked through. */
  #isOfOthers(folder: Path, path: Path, name: string): boolean {
    const [git = path] = pathsOf([name === '.git' ? path : `${path}/.git`]);
    const isClone = name === '.git' || (mayHoldClones(basename(folder)) && this.look(git)?.isDirectory() === true);
    if (isClone) this.files.push(...pathsOf([`${git}/config`]));
    return isClone || isFetched(name) || this.look(path) === undefined;
  }

  #meet(path: Path, name: string, isConfig: boolean): void {
    if (isBackup(name)) this.backups.push(path);
    else if (mayBeSettings(name, isConfig)) this.files.push(path);
  }
}

interface Entry {
  readonly path: Path;
  readonly name: string;
  readonly isFolder: boolean;
}

function entriesOf(folder: Path): Entry[] {
  const entries: Dirent[] = quietly(() => readdirSync(folder, { withFileTypes: true })) ?? [];
  return entries.flatMap((entry) => {
    const path = pathOf(`${folder}/${entry.name}`);
    return path === undefined ? [] : [{ path, name: entry.name, isFolder: entry.isDirectory() }];
  });
}
