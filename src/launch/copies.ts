import { type BigIntStats, existsSync, fstatSync, readFileSync } from 'node:fs';
import { type Bytes, bytesOfBuffer } from '../host/bytes.ts';
import { CordonError } from '../host/errors.ts';
import { namesIn, reading } from '../host/files.ts';
import {
  type Copies,
  cutAtStar,
  inEveryHome,
  isNamedBy,
  type Path,
  type PathPattern,
  type PlaceFacts,
  pathsOf,
  plainOf,
} from '../plan/places/index.ts';
import {
  certificatesNamedIn,
  cleaned,
  GIT_SETTINGS,
  gitIdentityOf,
  gitIncludes,
  onlyCertificates,
  SETTINGS,
  type SettingsKind,
} from '../plan/settings/index.ts';
import type { FsPreset } from '../policy/policy.ts';

export interface SettingsCopies extends Copies {
  /** What could not be understood, for people. */
  readonly notes: readonly string[];
  /** Every file that was looked for, as it was before it was read; undefined: it could not be read, or is not there. */
  readonly looked: ReadonlyMap<Path, BigIntStats | undefined>;
}

const LARGEST = 1 << 18;
/** More than people have; whoever has more is told, and misses none of them without a word. */
const MOST_COPIES = 256;
/** A company's bundle has all the public ones in it too. */
const LARGEST_BUNDLE = 1 << 22;

/** Settings that hold log-ins among lines that programs need, with those left out. */
export function settingsCopies(facts: PlaceFacts, preset: FsPreset): SettingsCopies {
  const reading = new Reading(facts);
  if (preset === 'workspace') reading.take({ ...GIT_SETTINGS, clean: gitIdentityOf });
  if (preset === 'guarded') for (const kind of SETTINGS) reading.take(kind);
  if (preset === 'guarded' || preset === 'workspace') reading.takeCertificates();
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

  #takeFile(path: Path, kind: SettingsKind): void {
    if (this.#isTaken(path)) return;
    const text = this.#textAt(path);
    if (text === undefined) return;
    const clean = text === TOO_LARGE ? undefined : cleaned(text, kind.clean);
    if (clean === undefined) {
      this.absent.push(path);
      this.notes.push(
        text === TOO_LARGE
          ? `${path} is too large to be looked through for log-ins, so it is not there inside`
          : `${path} cannot be understood as ${kind.what}, so it is not there inside`,
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
