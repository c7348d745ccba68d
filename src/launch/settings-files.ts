import { type BigIntStats, type Dirent, readdirSync, statSync } from 'node:fs';
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
  isBackup,
  isInConfig,
  LOOKED_THROUGH,
  MOST_FILES,
  mayBeSettings,
  mayHoldSettings,
} from '../plan/settings/index.ts';

export interface SettingsFiles {
  /** To be looked through. */
  readonly files: readonly Path[];
  /** Copies that were left of settings: nothing inside needs them. */
  readonly backups: readonly Path[];
  /** Folders with more in them than can be looked through. */
  readonly tooMany: readonly Path[];
  /** What was looked for, as it was before; undefined: it is not there. */
  readonly places: ReadonlyMap<Path, BigIntStats | undefined>;
}

/** The settings of any program, where they are shown. It goes through folders of settings alone: of a toolchain it sees the first one. */
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
    const before = this.files.length;
    this.#enter(path, isConfig, DEEPEST);
    if (this.files.length - before <= MOST_FILES) return;
    this.files.splice(before);
    this.tooMany.push(path);
  }

  #enter(folder: Path, isConfig: boolean, deeper: number): void {
    const entries: Dirent[] = quietly(() => readdirSync(folder, { withFileTypes: true })) ?? [];
    for (const entry of entries) {
      const path = pathOf(`${folder}/${entry.name}`);
      if (path === undefined) continue;
      if (!entry.isDirectory()) this.#meet(path, entry.name, isConfig);
      else if (deeper > 1 && mayHoldSettings(entry.name, isConfig) && this.look(path) !== undefined)
        this.#enter(path, isConfig, deeper - 1);
    }
  }

  #meet(path: Path, name: string, isConfig: boolean): void {
    if (isBackup(name)) this.backups.push(path);
    else if (mayBeSettings(name, isConfig)) this.files.push(path);
  }
}
