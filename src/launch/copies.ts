import { type BigIntStats, existsSync, fstatSync, readFileSync, realpathSync } from 'node:fs';
import { basename } from 'node:path';
import { type Bytes, bytesOfBuffer } from '../host/bytes.ts';
import { CordonError } from '../host/errors.ts';
import { namesIn, quietly, reading } from '../host/files.ts';
import {
  type Copies,
  cutAtStar,
  HIDDEN_IN_HOME,
  inEveryHome,
  isNamedBy,
  isWithinPattern,
  type Path,
  type PathPattern,
  type PlaceFacts,
  pathsOf,
  plainOf,
  STARTUP_IN_HOME,
} from '../plan/places/index.ts';
import {
  certificatesNamedIn,
  cleaned,
  GIT_SETTINGS,
  gitIdentityOf,
  gitIncludes,
  lookThrough,
  mayBeSettings,
  onlyCertificates,
  SETTINGS,
  type SettingsKind,
} from '../plan/settings/index.ts';
import type { FsPreset } from '../policy/policy.ts';
import { settingsFiles } from './settings-files.ts';

export interface SettingsCopies extends Copies {
  /** What could not be understood, for people. */
  readonly notes: readonly string[];
  /** Every file that was looked for, as it was before it was read; undefined: it could not be read, or is not there. */
  readonly looked: ReadonlyMap<Path, BigIntStats | undefined>;
}

const LARGEST = 1 << 18;
/** Programs write some of those themselves, such as lists of what they installed. */
const LARGEST_OTHER = 1 << 20;
/** More than people have; whoever has more is told, and misses none of them without a word. */
const MOST_COPIES = 256;
/** A company's bundle has all the public ones in it too. */
const LARGEST_BUNDLE = 1 << 22;

/** Settings that hold log-ins among lines that programs need, with those left out. `startup`: files that others stand in for already. */
export function settingsCopies(facts: PlaceFacts, preset: FsPreset, startup?: readonly string[]): SettingsCopies {
  const reading = new Reading(facts);
  if (preset === 'workspace') reading.take({ ...GIT_SETTINGS, clean: gitIdentityOf });
  if (preset === 'guarded') for (const kind of SETTINGS) reading.take(kind);
  if (preset === 'guarded' || preset === 'workspace') reading.takeCertificates();
  if (preset === 'guarded') reading.takeOthers(startup);
  return reading;
}

class Reading implements SettingsCopies {
  readonly notes: string[] = [];
  readonly copies: { readonly path: Path; readonly text: Bytes }[] = [];
  readonly absent: Path[] = [];
  readonly looked = new Map<Path, BigIntStats | undefined>();
  readonly #facts: PlaceFacts;

  constructor(facts: PlaceFacts) {
    this.#facts = facts;
  }

  take(kind: SettingsKind): void {
    for (const path of inEveryHome(kind.places, this.#facts).flatMap((place) => this.#entriesOf(place)))
      this.#takeFile(path, kind);
  }

  takeCertificates(): void {
    const named = this.copies.flatMap(({ text }) => certificatesNamedIn(text, this.#facts));
    for (const path of [...this.#facts.certificates, ...named]) {
      if (this.#isTaken(path)) continue;
      const text = this.#textAt(path, LARGEST_BUNDLE);
      const certificates = typeof text === 'string' ? cleaned(text, onlyCertificates) : undefined;
      if (certificates !== undefined) this.copies.push({ path, text: certificates as Bytes });
    }
  }

  /** Settings of every other program that are shown: what holds no log-in stays the real file. */
  takeOthers(startup: readonly string[] | undefined): void {
    const { files, backups, tooMany, places } = settingsFiles(this.#facts);
    for (const [path, stats] of places) this.looked.set(path, stats);
    const isElsewhere = this.#isElsewhere(startup);
    for (const path of files) if (!this.#isTaken(path)) this.#takeOther(path, isElsewhere);
    this.absent.push(...backups.filter((path) => !this.#isTaken(path)));
    for (const path of tooMany) this.#leaveOut(path, 'holds more than can be looked through for log-ins');
  }

  #takeOther(path: Path, isElsewhere: (path: Path) => boolean): void {
    const text = this.#textAt(path, LARGEST_OTHER);
    const found = text === undefined || text === TOO_LARGE ? text : lookThrough(basename(path), text);
    if (found === undefined || found === 'clean' || isElsewhere(path)) return;
    if (found === TOO_LARGE && !mayBeSettings(basename(path), false)) return;
    if (found === 'nothing') this.absent.push(path);
    else if (found === TOO_LARGE) this.#leaveOut(path, 'is too large to be looked through for log-ins');
    else if (found === 'no text') this.#leaveOut(path, 'is not text that can be looked through for log-ins');
    else if ('line' in found)
      this.#leaveOut(path, `has a log-in in line ${found.line}, which is part of more than the line`);
    else if (this.copies.length >= MOST_COPIES) this.#leaveOut(path, 'is one of too many files with log-ins in them');
    else this.copies.push({ path, text: found.copy as Bytes });
  }

  /** Hidden anyway, or a start-up file of a shell, which has rules of its own. */
  #isElsewhere(startup: readonly string[] | undefined): (path: Path) => boolean {
    const read = new Set(startup);
    const places = [
      ...HIDDEN_IN_HOME.flatMap((group) => group.places),
      ...(startup === undefined ? STARTUP_IN_HOME : []),
    ];
    let hidden: PathPattern[] | undefined;
    return (path) => {
      hidden ??= inEveryHome(places, this.#facts);
      return (
        hidden.some((pattern) => isWithinPattern(path, pattern)) ||
        read.has(quietly(() => realpathSync.native(path)) ?? path)
      );
    };
  }

  #leaveOut(path: Path, why: string): void {
    this.absent.push(path);
    this.notes.push(`${path} ${why}, so it is not there inside`);
  }

  #takeFile(path: Path, kind: SettingsKind): void {
    if (this.#isTaken(path)) return;
    const text = this.#textAt(path);
    if (text === undefined) return;
    const clean = text === TOO_LARGE ? undefined : cleaned(text, kind.clean);
    if (clean === undefined) {
      const isLarge = text === TOO_LARGE;
      this.#leaveOut(
        path,
        isLarge ? 'is too large to be looked through for log-ins' : `cannot be understood as ${kind.what}`,
      );
      return;
    }
    if (this.copies.length >= MOST_COPIES) throw tooMany(path, kind);
    this.copies.push({ path, text: clean as Bytes });
    if (kind.places === GIT_SETTINGS.places)
      for (const included of gitIncludes(clean, path, this.#facts)) this.#takeFile(included, kind);
  }

  #isTaken = (path: Path) => this.copies.some((copy) => copy.path === path) || this.absent.includes(path);

  /** A `*` in a place stands for what the folder has. */
  #entriesOf(place: PathPattern): Path[] {
    const cut = cutAtStar(place);
    if (cut === undefined) return pathsOf([plainOf(place) ?? '']);
    const { folder, name: pattern, rest } = cut;
    return namesIn(folder)
      .toSorted()
      .filter((name) => isNamedBy(name, pattern))
      .flatMap((name) => pathsOf([[folder, name, ...rest].join('/')]));
  }

  #textAt(path: Path, largest = LARGEST): Bytes | typeof TOO_LARGE | undefined {
    this.looked.set(path, undefined);
    if (!existsSync(path)) return undefined;
    try {
      return reading(path, 'followed', (descriptor, { size }) => {
        const stats = fstatSync(descriptor, { bigint: true });
        if (!stats.isFile()) return undefined;
        this.looked.set(path, stats);
        return size <= largest ? bytesOfBuffer(readFileSync(descriptor)) : TOO_LARGE;
      });
    } catch {
      return undefined;
    }
  }
}

const TOO_LARGE = Symbol('too large');

const tooMany = (where: Path, { what }: SettingsKind) =>
  new CordonError(
    'filesystem',
    `there are more than ${MOST_COPIES} files of settings to be looked through for log-ins`,
    {
      where,
      hint: `take away ${what} that nobody needs, or start with --fs all`,
    },
  );
