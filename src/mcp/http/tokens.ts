import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { type BigIntStats, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { CordonError } from '../../host/errors.ts';
import { ensureFolder } from '../../host/files.ts';
import { replaceFile } from '../../host/whole-file.ts';
import { Unavailable } from '../../secrets/sources/source.ts';
import {
  appendLine,
  checkFolder,
  type Known,
  notWritable,
  readList,
  readRecord,
  type TokenRecord,
  type Trust,
} from './token-files.ts';

type Complain = (problem: string) => void;

interface Read {
  /** The files with many tokens: a change of one does not show in the folder. */
  readonly lists: readonly string[];
  readonly stamp: string;
  readonly byHash: ReadonlyMap<string, Known & { readonly isRecord: boolean }>;
  readonly at: number;
  /** False when it was changed just before: the clock of a file system may be too coarse to show that it is changed again. */
  readonly isSettled: boolean;
  readonly restMs: number;
}

const RECORD = /^([0-9a-f]{8})\.json$/;
const LIST = /^[^.].*\.jsonl$/;
const COARSE_MS = 2000;
/** Often enough for what is removed to be refused within a second; a list that takes long to read is read less often. */
const AGAIN_MS = { least: 200, most: 700, times: 4 };
const nobody: Complain = () => undefined;

/**
 * Tokens in a folder, one file each, so that adding and removing never rewrite what others wrote and nothing needs a lock; or in files with one
 * on each line, that are only added to. Either may be handed out by others and be replaced at any time. A token is 256 random bits, so a plain
 * hash of it can't be guessed from.
 */
export class TokenStore {
  readonly #path: string;
  readonly #trust: Trust;
  #read: Read | undefined;

  constructor(path: string, trust: Trust) {
    this.#path = path;
    this.#trust = trust;
  }

  /** In Cordon's own home. */
  static ofHome = (configFolder: string) => new TokenStore(join(configFolder, 'tokens'), 'own');

  /** The only moment the token itself is seen. */
  add(user: string): { readonly id: string; readonly token: string } {
    const id = randomBytes(4).toString('hex');
    const token = `cordon_${randomBytes(32).toString('base64url')}`;
    const record = { user, sha256: hashOf(token).toString('hex'), created: new Date().toISOString() };
    if (this.#isList()) appendLine(this.#path, { id, ...record });
    else this.#write(id, record);
    return { id, token };
  }

  #write(id: string, record: object): void {
    try {
      ensureFolder(this.#path);
      replaceFile(join(this.#path, `${id}.json`), `${JSON.stringify(record)}\n`);
    } catch (error) {
      throw notWritable(this.#path, error as NodeJS.ErrnoException);
    }
  }

  list(complain = nobody): TokenRecord[] {
    const all = [...this.#records(complain), ...this.#inLists(this.#lists(), complain)];
    return all.map(({ id, user, created }) => ({ id, user, created }));
  }

  /** By id, or all of a user. */
  remove(idOrUser: string): number {
    const isMeant = ({ id, user }: TokenRecord) => id === idOrUser || user === idOrUser;
    const removed = new Date().toISOString();
    let count = 0;
    for (const list of this.#lists())
      for (const { id } of readable(() => readList(list, this.#trust, nobody), nobody).filter(isMeant)) {
        appendLine(list, { id, removed });
        count++;
      }
    for (const { id } of this.#records(nobody).filter(isMeant)) {
      this.#unlink(join(this.#path, `${id}.json`));
      count++;
    }
    return count;
  }

  #unlink(file: string): void {
    try {
      rmSync(file, { force: true });
    } catch (error) {
      throw notWritable(file, error as NodeJS.ErrnoException);
    }
  }

  /** Found by its hash, of which nobody can steer a part; how long it takes tells nothing about any token. */
  userOf(token: string, complain: Complain): string | undefined {
    const hash = hashOf(token);
    const found = this.#current(complain).byHash.get(hash.toString('hex'));
    const known = found?.isRecord === true ? this.#recordNow(found.id, complain) : found;
    return known !== undefined && timingSafeEqual(known.hash, hash) ? known.user : undefined;
  }

  /** A file of the folder may be emptied or changed where it lies, which does not show in the folder. */
  #recordNow(id: string, complain: Complain): Known | undefined {
    const name = `${id}.json`;
    return readable(() => [readRecord(join(this.#path, name), id, this.#trust)], complain, name)[0];
  }

  /** Looked at for every request, read again when it has changed: a token that was removed stops working at once. */
  #current(complain: Complain): Read {
    const now = Date.now();
    const read = this.#read;
    if (read !== undefined && read.stamp === this.#stamp(read.lists).stamp)
      if (read.isSettled || now - read.at < read.restMs) return read;
    // Its stamp from before it is read: what changes meanwhile is read again.
    const lists = this.#lists();
    const { stamp, newest } = this.#stamp(lists);
    const recorded = this.#records(complain).map((known) => ({ ...known, isRecord: true }));
    const listed = this.#inLists(lists, complain).map((known) => ({ ...known, isRecord: false }));
    const byHash = new Map([...recorded, ...listed].map((known) => [known.hash.toString('hex'), known]));
    const restMs = Math.min(AGAIN_MS.most, Math.max(AGAIN_MS.least, (Date.now() - now) * AGAIN_MS.times));
    this.#read = { lists, stamp, byHash, at: now, isSettled: Math.abs(now - newest) > COARSE_MS, restMs };
    return this.#read;
  }

  /** Links are followed: a mounted Secret is changed by turning one. */
  #stamp(lists: readonly string[]): { stamp: string; newest: number } {
    const all = [this.#path, ...lists].map((path) => statOf(path));
    const words = all.map((one) => (one === undefined ? '-' : `${one.dev} ${one.ino} ${one.size} ${one.ctimeNs}`));
    return { stamp: words.join('|'), newest: Math.max(...all.map((one) => Number(one?.ctimeMs ?? 0))) };
  }

  #inLists(lists: readonly string[], complain: Complain): Known[] {
    return lists.flatMap((list) => readable(() => readList(list, this.#trust, complain), complain, list));
  }

  #records(complain: Complain): Known[] {
    const names = this.#names().filter((name) => RECORD.test(name));
    if (names.length > 0 && !this.#isTrusted(complain)) return [];
    return names.flatMap((name) => {
      const path = join(this.#path, name);
      return readable(() => [readRecord(path, name.slice(0, 8), this.#trust)], complain, name);
    });
  }

  #isTrusted(complain: Complain): boolean {
    const check = () => [checkFolder(statSync(this.#path), this.#path, this.#trust)];
    return readable(check, complain, this.#path).length > 0;
  }

  #isList(): boolean {
    const stats = statOf(this.#path);
    return stats === undefined ? LIST.test(this.#path.split('/').at(-1) as string) : !stats.isDirectory();
  }

  #lists(): string[] {
    if (this.#isList()) return statOf(this.#path) === undefined ? [] : [this.#path];
    // In Cordon's own folder there are none.
    if (this.#trust === 'own') return [];
    const names = this.#names().filter((name) => LIST.test(name));
    return names.length > 0 && this.#isTrusted(nobody) ? names.map((name) => join(this.#path, name)) : [];
  }

  #names(): string[] {
    if (this.#isList()) return [];
    try {
      return readdirSync(this.#path).sort();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw new CordonError('tokens', 'the folder of the tokens cannot be read', { where: this.#path });
    }
  }
}

function statOf(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false, bigint: true });
  } catch {
    return undefined;
  }
}

function readable<T>(read: () => T[], complain: Complain, name = ''): T[] {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    complain(`the token file ${name} is not used: ${error.message} (${error.hint})`);
    return [];
  }
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
