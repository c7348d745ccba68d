import fs, { type BigIntStats, type PathLike } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { type Bytes, bytesOfBuffer, bytesOfText } from '../host/bytes.ts';
import { hasLoaded } from '../host/node-parts.ts';

/** What was looked at on the disk, each with what it was before the first look. */
export interface Witnessed {
  readonly looked: LookedAt;
  /** Something happened that a later look can't compare with, such as a file that was written or a program that was asked. */
  readonly incomparable: string | undefined;
}

/** Stamps of each path, by which a later look tells whether anything is another. */
export type LookedAt = ReadonlyMap<Bytes, readonly string[]>;

type Look = (...args: readonly unknown[]) => unknown;
type FileSystem = Record<string, Look & { native?: Look }>;

/** Whoever looks: the path comes first, and what is found there is all that matters. */
const LOOKS = ['accessSync', 'existsSync', 'lstatSync', 'readFileSync', 'readlinkSync', 'statSync'];
/** These work on what is open already, or say nothing about an entry. */
const HARMLESS = ['closeSync', 'fstatSync', 'readSync', 'writeSync', 'statfsSync'];
const REMOVALS = ['rmSync', 'rmdirSync', 'unlinkSync'];
const WRITING = fs.constants.O_WRONLY | fs.constants.O_RDWR | fs.constants.O_CREAT;

/** The arguments and variables it was started with, which the front looks at by itself. */
const OF_THE_FRONT = /^\/proc\/\d+\/(?:cmdline|environ)$/;

/** A file that changed this short a time ago may change again without its times telling. */
const TICK_NS = 50_000_000n;

/** Stands between the rest of this program and node:fs, so that nothing it looks at is forgotten. Whoever reads a new kind of file has not to know. */
export class Witness {
  readonly #looked = new Map<Bytes, readonly string[]>();
  /** What is looked at now is written into all of these. */
  #books = [this.#looked];
  readonly #settled = BigInt(Date.now()) * 1_000_000n - TICK_NS;
  readonly #real = synchronousParts(fs as unknown as FileSystem);
  #incomparable: string | undefined;

  /** What the front found as it was, for whoever would look at the same (looked-through.ts). */
  readonly handedOver: string;

  private constructor(handedOver: string) {
    this.handedOver = handedOver;
  }

  static begin(handedOver: string): Witness {
    standing = new Witness(handedOver);
    standing.#stand();
    return standing;
  }

  /** Who is to be told of what is looked at, if anybody. */
  static get awake(): Witness | undefined {
    return standing;
  }

  /** What the launcher looks for by itself at each start. */
  static overlook<T>(look: () => T): T {
    const awake = standing;
    standing = undefined;
    try {
      return look();
    } finally {
      standing = awake;
    }
  }

  get testimony(): Witnessed {
    const asked = hasLoaded('child_process') ? 'child_process' : undefined;
    return { looked: this.#looked, incomparable: this.#incomparable ?? asked };
  }

  /** The same for what is looked at meanwhile, apart from everything before: it counts for itself. */
  attend<T>(look: () => T): { readonly found: T } & Witnessed {
    const [books, before] = [this.#books, this.#incomparable];
    const looked = new Map<Bytes, readonly string[]>();
    this.#books = [...books, looked];
    this.#incomparable = undefined;
    try {
      const found = look();
      return { found, looked, incomparable: this.#incomparable };
    } finally {
      this.#books = books;
      this.#incomparable = before ?? this.#incomparable;
    }
  }

  /** The front has looked at all of this for us just now, and found it as it was. */
  rely(looked: LookedAt): void {
    for (const [key, stamps] of looked)
      for (const book of this.#books)
        if (!book.has(key) || stamps.at(-1)?.startsWith('list') === true) book.set(key, stamps);
  }

  #stand(): void {
    const patched = fs as unknown as FileSystem;
    for (const [name, real] of Object.entries(this.#real)) {
      if (HARMLESS.includes(name)) continue;
      patched[name] = this.#between(name, real);
      if (real.native !== undefined) patched[name].native = this.#between(name, real.native);
    }
    syncBuiltinESMExports();
  }

  #between(name: string, real: Look): Look {
    return (...args) => {
      if (standing === this) this.#note(name, args);
      return real(...args);
    };
  }

  #note(name: string, [path, flags]: readonly unknown[]): void {
    if (LOOKS.includes(name)) this.#look(path, false);
    else if (name === 'readdirSync') this.#look(path, true);
    else if (name === 'realpathSync') this.#follow(path);
    else if (name === 'openSync' && (typeof flags !== 'number' || (flags & WRITING) === 0)) this.#look(path, false);
    else if (REMOVALS.includes(name) && this.#isAbsent(path)) this.#look(path, false);
    else this.#incomparable ??= name;
  }

  #isAbsent(path: unknown): boolean {
    return this.#lstat(path as PathLike) === undefined;
  }

  /** Before it is read: what changes meanwhile is another one afterwards. */
  #look(path: unknown, listed: boolean): void {
    const key = keyOf(path);
    if (typeof path === 'number' || (key?.startsWith('/proc/') && OF_THE_FRONT.test(key))) return;
    if (key === undefined || key.startsWith('/proc/')) this.#incomparable ??= String(key);
    else {
      const books = this.#books.filter((book) => listed || !book.has(key));
      if (books.length === 0) return;
      const stamps = this.#stamps(path as PathLike, listed);
      for (const book of books) book.set(key, stamps);
    }
  }

  /** Every link on the way, since another one may lead to the same end. */
  #follow(path: unknown): void {
    if (typeof path !== 'string') {
      this.#incomparable ??= 'realpath';
      return;
    }
    this.#look(path, false);
    if (this.#hasNoLink(resolve(path))) return;
    const parts = resolve(path).split('/').slice(1);
    let at = '/';
    for (let steps = 0; parts.length > 0 && steps < 200; steps++) {
      const next = join(at, parts.shift() as string);
      if (this.#lstat(next)?.isSymbolicLink() !== true) {
        at = next;
        continue;
      }
      this.#look(next, false);
      const text = (this.#real.readlinkSync as (path: string) => string)(next);
      parts.unshift(...resolve(dirname(next), text).split('/').slice(1));
      at = '/';
    }
  }

  #hasNoLink(path: string): boolean {
    try {
      return this.#real.realpathSync?.native?.(path) === path;
    } catch {
      return false; // It leads nowhere: perhaps through a link.
    }
  }

  #lstat(path: PathLike): BigIntStats | undefined {
    return this.#real.lstatSync?.(path, { bigint: true, throwIfNoEntry: false }) as BigIntStats | undefined;
  }

  #stamps(path: PathLike, listed: boolean): string[] {
    try {
      const stats = this.#lstat(path);
      if (stats?.isSymbolicLink() !== true) return [this.#stamp(stats, listed)];
      const target = this.#real.statSync?.(path, { bigint: true, throwIfNoEntry: false }) as BigIntStats | undefined;
      return [this.#stamp(stats, false), this.#stamp(target, listed)];
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return ['absent'];
      this.#incomparable ??= (error as NodeJS.ErrnoException).code ?? 'error';
      return [];
    }
  }

  /** As native/src/kept.c has it. */
  #stamp(stats: BigIntStats | undefined, listed: boolean): string {
    if (stats === undefined) return 'absent';
    const same = [stats.dev, stats.ino, stats.mode, stats.uid, stats.gid];
    const times = [stats.mtimeNs, stats.ctimeNs];
    if (stats.isDirectory() && !listed) return ['dir', ...same].join(',');
    if (times.some((time) => time > this.#settled)) this.#incomparable ??= 'changed just now';
    if (stats.isDirectory()) return ['list', ...same, ...times].join(',');
    return [kindOf(stats), ...same, stats.size, ...times].join(',');
  }
}

let standing: Witness | undefined;

/** The others are not even touched: some load Node's streams when somebody asks for them. */
function synchronousParts(all: FileSystem): FileSystem {
  const names = Object.keys(all).filter((name) => name.endsWith('Sync') && typeof all[name] === 'function');
  return Object.fromEntries(names.map((name) => [name, all[name] as Look]));
}

function kindOf(stats: BigIntStats): string {
  if (stats.isFile()) return 'file';
  return stats.isSymbolicLink() ? 'link' : 'other';
}

function keyOf(path: unknown): Bytes | undefined {
  if (typeof path === 'string') return bytesOfText(path);
  return path instanceof Uint8Array ? bytesOfBuffer(path) : undefined;
}
