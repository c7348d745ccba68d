import { lstatSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Bytes, bufferOfBytes, bytesOfText } from '../host/bytes.ts';
import { quietly } from '../host/files.ts';
import { isWithin } from '../host/folders.ts';
import { type GitPlaces, gitPlacesOf, judgeIndex, type WantedIndex } from '../launch/git-judge.ts';
import { type Change, type ChangeRecord, contentOf } from './record.ts';

/**
 * What git would make of a change once it is applied. At the end of a command in a real workspace the launcher puts git's own files
 * back; the same code is asked here where they are, and whether an index may come in. All but the history has to be named.
 */
export class GitLooks {
  readonly #home: string | undefined;
  readonly #places = new Map<Bytes, GitPlaces | undefined>();
  readonly #isDirectory = new Map<Bytes, boolean>();
  readonly #indexes = new Map<string, string | undefined>();

  constructor(home: string | undefined) {
    this.#home = home;
  }

  /** What is there may have changed. */
  clear(): void {
    for (const known of [this.#places, this.#isDirectory, this.#indexes]) known.clear();
  }

  /** Undefined for what is none of git's, and for its history. */
  whatItIs(change: Change, record: ChangeRecord): string | undefined {
    const { path, kind } = change;
    if (kind === 'folder') return undefined;
    if (path.endsWith('/.git')) return SETTINGS;
    const places = record.workspace === undefined ? NONE : this.#placesOf(record.workspace);
    if (places === undefined) return 'in a workspace in which git could not be looked for';
    if (places.named.some((place) => isWithin(path, place))) return 'where git looks for programs or settings';
    const directory = this.#directoryOf(path, places);
    if (directory === undefined) return makesRepository(change) ? NEW_REPOSITORY : undefined;
    return this.#whatItIsIn(directory, change, { record, places });
  }

  #whatItIsIn(directory: Bytes, change: Change, { record, places }: Seen): string | undefined {
    const name = change.path.slice(directory.length + 1);
    if (change.kind === 'gone') return isSpare(name) ? undefined : SETTINGS;
    if (name === 'HEAD' && makesRepository(change)) return NEW_REPOSITORY;
    if (!isHistory(name)) return /^(?:.*\/)?hooks\//s.test(name) ? 'a git hook' : SETTINGS;
    if (name !== 'index' || change.kind !== 'file') return undefined;
    const files = places.directories.get(directory) || (directory.endsWith('/.git') ? dirname(directory) : '');
    return this.#indexOf(change, record, { directory, files: files as Bytes });
  }

  #placesOf(workspace: Bytes): GitPlaces | undefined {
    if (!this.#places.has(workspace)) this.#places.set(workspace, gitPlacesOf(workspace, this.#home));
    return this.#places.get(workspace);
  }

  /** The innermost: one that is called so, one that git comes to, or a folder with a HEAD, which is one or may become one. */
  #directoryOf(path: Bytes, { directories }: GitPlaces): Bytes | undefined {
    let found: Bytes | undefined;
    for (const folder of foldersAbove(path))
      if (folder.endsWith('/.git') || directories.has(folder) || (this.#hasHead(folder) && !isOfRefs(folder, found)))
        found = folder;
    return found;
  }

  #hasHead(folder: Bytes): boolean {
    const known = this.#isDirectory.get(folder);
    if (known !== undefined) return known;
    const head = quietly(() => lstatSync(bufferOfBytes(join(folder, 'HEAD') as Bytes), { throwIfNoEntry: false }));
    const has = head !== undefined && !head.isDirectory();
    this.#isDirectory.set(folder, has);
    return has;
  }

  #indexOf(change: Change, record: ChangeRecord, its: Repository): string | undefined {
    const key = `${record.launch} ${change.path}`;
    if (!this.#indexes.has(key)) this.#indexes.set(key, lookAtIndex(change, record, its));
    return this.#indexes.get(key);
  }
}

interface Seen {
  readonly record: ChangeRecord;
  readonly places: GitPlaces;
}

type Repository = Omit<WantedIndex, 'folder'>;

/** From the root on. */
const foldersAbove = (path: Bytes) =>
  path
    .split('/')
    .slice(1, -1)
    .map((_, i, parts) => `/${parts.slice(0, i + 1).join('/')}` as Bytes);

/** A ref, or the log of one, may be called HEAD too. */
const isOfRefs = (folder: Bytes, directory: Bytes | undefined) =>
  directory !== undefined && /^\/(?:refs|logs)(?:\/|$)/s.test(folder.slice(directory.length));

const SETTINGS = "git's settings";
const NEW_REPOSITORY = 'what makes its folder a git repository';
const NONE: GitPlaces = { directories: new Map(), named: [] };

const makesRepository = ({ path, kind, was }: Change) => kind !== 'gone' && was === undefined && path.endsWith('/HEAD');

/** Git runs nothing that these name. Of objects only those: where else there may be some, a file says. */
const isHistory = (name: string) =>
  /^(?:(?:refs|logs)\/|(?:index|HEAD|packed-refs|ORIG_HEAD|FETCH_HEAD|COMMIT_EDITMSG)$)/s.test(name) ||
  /^objects\/(?!info\/|info$)|^objects\/info\/(?:packs$|commit-graph)/s.test(name);

/** What a git directory is one without; else git takes one that lies around it. */
const isSpare = (name: string) =>
  /^(?:(?:objects|refs|logs)\/|(?:index|packed-refs|[A-Z]+_HEAD|COMMIT_EDITMSG)$)/s.test(name);

const INDEXES = {
  fine: undefined,
  odd: 'a git index that cannot be understood, or names files outside of the tree',
  'leads on': 'a git index with another repository in it, in which git would be started',
} as const;

/** One that could not be looked at is odd. */
function lookAtIndex(change: Change, record: ChangeRecord, its: Repository): string | undefined {
  const content = contentOf(record, change) ?? Buffer.alloc(0);
  const folder = quietly(() => mkdtempSync(join(dirname(record.file), '.index-')));
  if (folder === undefined) return INDEXES.odd;
  try {
    writeFileSync(join(folder, 'index'), content, { mode: 0o600 });
    return INDEXES[judgeIndex({ folder: bytesOfText(folder), ...its })];
  } catch {
    return INDEXES.odd;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
