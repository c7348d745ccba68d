import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { closeSync, fstatSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ensureFolder } from '../../host/ensure-folder.ts';
import { CordonError } from '../../host/errors.ts';
import { openToRead } from '../../host/open-file.ts';
import { checkFile } from '../../secrets/sources/file.ts';
import { Unavailable } from '../../secrets/sources/source.ts';
import { writeWhole } from '../../secrets/vault/generations.ts';

/** What is kept of a token: enough to know it again, nothing to use it with. */
export interface TokenRecord {
  readonly id: string;
  readonly user: string;
  readonly created: string;
}

interface Known extends TokenRecord {
  readonly hash: Buffer;
}

const FILE = /^([0-9a-f]{8})\.json$/;
const MAX_FILE_BYTES = 4096;

/**
 * One file for each token: adding and removing never rewrite what others wrote, and nothing needs a lock. A token is 256 random bits, so a plain
 * hash of it can't be guessed from.
 */
export class TokenStore {
  readonly #folder: string;
  #read: { readonly stamp: string; readonly known: readonly Known[] } | undefined;

  constructor(configFolder: string) {
    this.#folder = join(configFolder, 'tokens');
  }

  /** The only moment the token itself is seen. */
  add(user: string): { readonly id: string; readonly token: string } {
    const id = randomBytes(4).toString('hex');
    const token = `cordon_${randomBytes(32).toString('base64url')}`;
    const record = { user, sha256: hashOf(token).toString('hex'), created: new Date().toISOString() };
    ensureFolder(this.#folder);
    const fresh = join(this.#folder, `new.${id}`);
    writeWhole(fresh, `${JSON.stringify(record)}\n`);
    renameSync(fresh, join(this.#folder, `${id}.json`));
    return { id, token };
  }

  list(complain: (problem: string) => void = () => undefined): TokenRecord[] {
    return this.#load(complain).map(({ id, user, created }) => ({ id, user, created }));
  }

  /** By id, or all of a user. */
  remove(idOrUser: string): number {
    const gone = this.list().filter(({ id, user }) => id === idOrUser || user === idOrUser);
    for (const { id } of gone) rmSync(join(this.#folder, `${id}.json`), { force: true });
    return gone.length;
  }

  /** Compares with every token, each in constant time: how long it takes tells nothing about any. */
  userOf(token: string, complain: (problem: string) => void): string | undefined {
    const hash = hashOf(token);
    let user: string | undefined;
    for (const known of this.#current(complain)) if (timingSafeEqual(known.hash, hash)) user = known.user;
    return user;
  }

  /** Read again when the folder has changed: a token that was removed stops working at once. */
  #current(complain: (problem: string) => void): readonly Known[] {
    const stamp = this.#stamp();
    if (this.#read?.stamp !== stamp) this.#read = { stamp, known: this.#load(complain) };
    return this.#read.known;
  }

  #stamp(): string {
    const stats = statSync(this.#folder, { throwIfNoEntry: false, bigint: true });
    return stats === undefined ? '' : `${stats.ino} ${stats.mtimeNs}`;
  }

  #load(complain: (problem: string) => void): Known[] {
    return this.#files().flatMap((name) => {
      try {
        return [readToken(join(this.#folder, name), name.slice(0, 8))];
      } catch (error) {
        if (!(error instanceof Unavailable)) throw error;
        complain(`the token file ${name} is not used: ${error.message} (${error.hint})`);
        return [];
      }
    });
  }

  #files(): string[] {
    try {
      return readdirSync(this.#folder)
        .filter((name) => FILE.test(name))
        .sort();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw new CordonError('tokens', 'the folder of the tokens cannot be read', { where: this.#folder });
    }
  }
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

function readToken(path: string, id: string): Known {
  const { user, sha256, created } = parse(readOwn(path));
  if (
    typeof user !== 'string' ||
    typeof sha256 !== 'string' ||
    typeof created !== 'string' ||
    !/^[0-9a-f]{64}$/.test(sha256)
  )
    throw new Unavailable('it does not hold a token', `remove it: rm ${path}`);
  return { id, user, created, hash: Buffer.from(sha256, 'hex') };
}

function readOwn(path: string): string {
  const descriptor = open(path);
  try {
    const stats = fstatSync(descriptor);
    checkFile(stats, path);
    if (stats.size > MAX_FILE_BYTES) throw new Unavailable('it is too large', `remove it: rm ${path}`);
    return readFileSync(descriptor, 'utf8');
  } finally {
    closeSync(descriptor);
  }
}

function open(path: string): number {
  try {
    return openToRead(path, 'refused');
  } catch (error) {
    throw new Unavailable(
      `it cannot be opened (${(error as NodeJS.ErrnoException).code})`,
      `look at it: ls -l ${path}`,
    );
  }
}

function parse(text: string): Partial<Record<'user' | 'sha256' | 'created', unknown>> {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}
