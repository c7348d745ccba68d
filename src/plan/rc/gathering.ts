import { join } from 'node:path';
import { type Bytes, showBytes } from '../../host/bytes.ts';
import { isWithin } from '../places/index.ts';
import { settingOf } from './assignment.ts';
import { assignmentsIn, rangesOfExportAll, sourcingsIn } from './contents.ts';
import type { Disk } from './disk.ts';
import { pathsOf, textsOf } from './paths.ts';
import { dialectOf, ENVIRONMENT_PLACES, isOfOthers, STARTUP_PLACES } from './places.ts';
import { type Dialect, NotUnderstood, readScript, type Script, type Word } from './syntax/index.ts';

/** Where to look, free of symbolic links. */
export interface Surroundings {
  readonly disk: Disk;
  readonly homes: readonly string[];
  readonly zdotdir: string | undefined;
  /** Files that variables of the parent name. */
  readonly named: readonly string[];
  readonly workspace: string;
}

export interface Reading {
  readonly path: string;
  readonly shown: string;
  readonly text: string;
  readonly dialect: Dialect;
  readonly script: Script | undefined;
  readonly problem: NotUnderstood | undefined;
  readonly allExported: boolean;
}

const MOST_FILES = 100;
const LARGEST = 1 << 20;

/** Follows the files from one to the next. */
export class Gathering {
  readonly #where: Surroundings;
  readonly #found = new Map<string, Reading>();
  readonly #variables = new Map<string, string[]>();

  constructor(where: Surroundings) {
    this.#where = where;
  }

  readings(): Reading[] {
    const { homes, zdotdir, named, workspace } = this.#where;
    for (const home of homes) this.#begin(home, home);
    if (zdotdir !== undefined) this.#begin(zdotdir, homes[0] ?? zdotdir);
    for (const path of named.filter((one) => !isWithin(one, workspace)))
      this.#visit(path, homes[0] ?? '/', { allExported: false });
    return [...this.#found.values()];
  }

  #begin(folder: string, home: string): void {
    for (const [name, value] of [
      ['HOME', home],
      ['ZDOTDIR', folder],
      ['XDG_CONFIG_HOME', join(home, '.config')],
    ] as const)
      this.#learn(name, [value]);
    for (const place of STARTUP_PLACES) this.#visitPlace(folder, place, home, false);
    for (const place of ENVIRONMENT_PLACES) this.#visitPlace(folder, place, home, true);
  }

  /** Most are absent, which the listing of the home tells. */
  #visitPlace(folder: string, place: string, home: string, allExported: boolean): void {
    const { disk } = this.#where;
    disk.listing(folder);
    if (disk.unlisted(folder, place) !== undefined) return;
    for (const path of disk.expand(folder, place)) this.#visit(path, home, { allExported });
  }

  #visitAll(pattern: string, home: string, how: Arrival): void {
    for (const path of this.#where.disk.expand('/', pattern.slice(1))) this.#visit(path, home, how);
  }

  #visit(path: string, home: string, how: Arrival): void {
    const { disk, workspace, homes } = this.#where;
    const found = disk.existing(path);
    if (found?.kind !== 'file' || this.#found.has(found.path) || this.#found.size >= MOST_FILES) return;
    const own = homes.find((one) => isWithin(found.path, one));
    const startup = how.takenInBy === undefined;
    if (!startup && (own === undefined || isOfOthers(found.path.slice(own.length + 1)))) return;
    if (!startup && isWithin(found.path, workspace) && !isWithin(home, workspace)) return;
    const reading = this.#read(path, found.path, home, how);
    if (reading === undefined) return;
    this.#found.set(found.path, reading);
    if (reading.script !== undefined) this.#follow(reading, reading.script, home);
  }

  #read(shownPath: string, path: string, home: string, how: Arrival): Reading | undefined {
    const text = this.#where.disk.bytes(path);
    if (text === undefined || text === '' || (how.perhaps === true && isProgram(text))) return undefined;
    const dialect = dialectOf(shownPath, how.takenInBy);
    const shown =
      home === this.#where.homes[0] && isWithin(shownPath, home) ? `~${shownPath.slice(home.length)}` : shownPath;
    const reading = { path, shown: showBytes(shown as Bytes), text, dialect, allExported: how.allExported };
    try {
      if (text.includes('\0') || text.length > LARGEST)
        throw new NotUnderstood(0, 'it is not a script, or too large for one');
      return { ...reading, script: readScript(text, dialect), problem: undefined };
    } catch (error) {
      if (!(error instanceof NotUnderstood)) throw error;
      return { ...reading, script: undefined, problem: error };
    }
  }

  #follow({ dialect, allExported }: Reading, script: Script, home: string): void {
    for (const word of assignmentsIn(script)) this.#learnFrom(word);
    for (const { name, words } of script.loops)
      this.#learn(
        name,
        words.flatMap((word) => this.#paths(word, home) ?? []),
      );
    const ranges = rangesOfExportAll(script);
    for (const { command, path } of sourcingsIn(script)) {
      const exported = allExported || ranges.some(({ from, to }) => command.from >= from && command.from < to);
      const how = { allExported: exported, takenInBy: dialect };
      const paths = this.#paths(path, home);
      for (const one of paths ?? this.#everyPath(script, home))
        this.#visitAll(one, home, { ...how, perhaps: paths === undefined });
    }
    for (const folder of this.#variables.get('ZDOTDIR') ?? [])
      for (const name of ['.zshenv', '.zprofile', '.zshrc', '.zlogin'])
        this.#visitAll(join(folder, name), home, { allExported: false });
  }

  /** A file is taken in whose name comes from elsewhere, perhaps as an argument: it may be any that is mentioned. */
  #everyPath({ commands, loops }: Script, home: string): string[] {
    const words = [...commands.flatMap(({ words: own }) => own), ...loops.flatMap(({ words: own }) => own)];
    return words
      .flatMap((word) => this.#paths(word, home) ?? [])
      .filter((path) => isWithin(path, home) && path !== join(home, '*'));
  }

  #learnFrom(word: Word): void {
    const setting = settingOf(word);
    if (setting === undefined || setting.bare) return;
    const texts = textsOf(word.parts, this.#variables);
    if (texts !== undefined)
      this.#learn(
        setting.name,
        texts.map((text) =>
          text.slice(text.indexOf('=') + 1).replace(/^~(?=\/|$)/, this.#variables.get('HOME')?.[0] ?? '~'),
        ),
      );
  }

  #learn(name: string, values: readonly string[]): void {
    const known = this.#variables.get(name) ?? [];
    this.#variables.set(name, [...new Set([...known, ...values])].slice(0, MOST_VALUES));
  }

  #paths(word: Word, home: string): string[] | undefined {
    return pathsOf(word, this.#variables, home);
  }
}

const MOST_VALUES = 64;

/** Something that is started, not taken in. */
function isProgram(text: string): boolean {
  return text.includes('\0') || text.startsWith('#!');
}

interface Arrival {
  readonly allExported: boolean;
  readonly takenInBy?: Dialect;
  /** It is mentioned where something is taken in that has no name. */
  readonly perhaps?: boolean;
}
