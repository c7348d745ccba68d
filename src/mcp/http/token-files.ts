import {
  accessSync,
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  type Stats,
  writeSync,
} from 'node:fs';
import { CordonError } from '../../host/errors.ts';
import { reading } from '../../host/files.ts';
import { shellWord } from '../../host/shell-word.ts';
import { checkFile } from '../../secrets/sources/file.ts';
import { Unavailable } from '../../secrets/sources/source.ts';

/** What is kept of a token: enough to know it again, nothing to use it with. */
export interface TokenRecord {
  readonly id: string;
  readonly user: string;
  readonly created: string;
}

export interface Known extends TokenRecord {
  readonly hash: Buffer;
}

/** Own: only its owner may read it. Shared: it is handed out by others, through links, and none but root or we may have written it. */
export type Trust = 'own' | 'shared';

const MAX_RECORD_BYTES = 4096;
const MAX_LIST_BYTES = 64 << 20;
const ID = /^[0-9a-f]{8}$/;

/** A file with one token, named as its id. */
export function readRecord(path: string, id: string, trust: Trust): Known {
  const known = knownOf({ ...parse(readText(path, trust, MAX_RECORD_BYTES)), id });
  if (known === undefined) throw new Unavailable('it does not hold a token', `remove it: rm ${shellWord(path)}`);
  return known;
}

/**
 * A file with a token on each line. It is only ever added to: a line can also say that a token was removed, so that nobody rewrites what
 * others wrote. A line that is none is left out, with a word: the tokens of all others go on.
 */
export function readList(path: string, trust: Trust, complain: (problem: string) => void): Known[] {
  const found = new Map<string, Known>();
  for (const [i, line] of readText(path, trust, MAX_LIST_BYTES).split('\n').entries()) {
    if (line.trim() === '') continue;
    const fields = parse(line);
    const known = knownOf(fields);
    if (known !== undefined) found.set(known.id, known);
    else if (isId(fields.id) && typeof fields.removed === 'string') found.delete(fields.id);
    else complain(`line ${i + 1} of ${path} holds no token, and is not used`);
  }
  return [...found.values()];
}

/** In one write: two that add at once have a line each. */
export function appendLine(path: string, fields: object): void {
  const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW } = constants;
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600);
    // What a full disk cut off must not become the beginning of this one.
    const line = Buffer.from(`${endsWhole(descriptor) ? '' : '\n'}${JSON.stringify(fields)}\n`);
    if (writeSync(descriptor, line) !== line.length) throw Object.assign(new Error('cut off'), { code: 'ENOSPC' });
    fsyncSync(descriptor);
  } catch (error) {
    throw notWritable(path, error as NodeJS.ErrnoException);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

export function notWritable(path: string, { code }: NodeJS.ErrnoException): CordonError {
  const isMount = code === 'EROFS' || code === 'ELOOP';
  return new CordonError('tokens', `the tokens cannot be changed here (${code})`, {
    where: path,
    hint: isMount
      ? 'a mounted Secret is changed where it comes from: add the token to a file of your own, and make the Secret from it'
      : 'the place must be writable, and have room',
  });
}

function endsWhole(descriptor: number): boolean {
  const { size } = fstatSync(descriptor);
  if (size === 0) return true;
  const text = readFileSync(descriptor);
  return text.at(-1) === 0x0a;
}

/** Who can write in it decides who is let in. A Secret is mounted with every bit set, but read-only. */
export function checkFolder(stats: Stats, path: string, trust: Trust): void {
  if (trust === 'own' || (isOursOrRoots(stats) && (stats.mode & 0o022) === 0) || isReadOnly(path)) return;
  throw new Unavailable('others may write in it', `chmod go-w ${shellWord(path)}`);
}

function isReadOnly(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EROFS';
  }
}

function readText(path: string, trust: Trust, most: number): string {
  const look = (descriptor: number, stats: Stats) => {
    if (trust === 'own') checkFile(stats, path);
    else checkShared(stats, path);
    if (stats.size > most) throw new Unavailable('it is too large', `look at it: ls -l ${path}`);
    return readFileSync(descriptor, 'utf8');
  };
  const failed = (code: string) => new Unavailable(`it cannot be opened (${code})`, `look at it: ls -l ${path}`);
  return reading(path, trust === 'own' ? 'refused' : 'followed', look, failed);
}

/** Reading a hash of 256 random bits helps nobody; a Secret is handed out to a group. */
function checkShared(stats: Stats, path: string): void {
  if (!stats.isFile()) throw new Unavailable('it is not a regular file', `look at it: ls -ld ${path}`);
  if (!isOursOrRoots(stats)) throw new Unavailable('it belongs to another user', `look at it: ls -l ${path}`);
  if ((stats.mode & 0o022) !== 0) throw new Unavailable('others may write it', `chmod go-w ${shellWord(path)}`);
}

const isOursOrRoots = ({ uid }: Stats) => uid === 0 || uid === process.getuid?.();

type Fields = Partial<Record<'id' | 'user' | 'sha256' | 'created' | 'removed', unknown>>;

const isId = (id: unknown): id is string => typeof id === 'string' && ID.test(id);

function knownOf({ id, user, sha256, created }: Fields): Known | undefined {
  if (!isId(id) || typeof user !== 'string' || typeof sha256 !== 'string' || typeof created !== 'string') return;
  return /^[0-9a-f]{64}$/.test(sha256) ? { id, user, created, hash: Buffer.from(sha256, 'hex') } : undefined;
}

function parse(text: string): Fields {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}
