import { readSync, type Stats } from 'node:fs';
import { CordonError } from '../host/errors.ts';
import { type Links, reading } from '../host/files.ts';

/** What a person wrote is shorter; whatever is longer is no file of these kinds. */
const LONGEST = 1024 * 1024;

export interface FileText {
  readonly text: string;
  /** The byte order mark before the text, which is no part of it. */
  readonly mark: string;
  readonly stats: Stats;
}

/** The text of a file that is only looked at: who else could write it does not matter here, since nothing is done by it. */
export function readText(path: string, links: Links = 'followed'): FileText {
  const look = (descriptor: number, stats: Stats) => {
    if (!stats.isFile())
      throw refusal(path, `is ${kindOf(stats)}`, NO_FILE_HINTS[kindOf(stats)] ?? 'give a regular file');
    const { data, whole } = readUpTo(descriptor, LONGEST);
    if (!whole) throw tooLarge(path);
    const text = decode(path, data);
    const mark = text.startsWith(MARK) ? MARK : '';
    return { text: text.slice(mark.length), mark, stats };
  };
  return reading(path, links, look, (code) => cannotOpen(path, code));
}

const MARK = '\uFEFF';

export interface Start {
  readonly data: Buffer;
  readonly whole: boolean;
}

/**
 * How a regular file begins, undefined for everything else: a repository may hold links to devices and pipes. Files of the
 * kernel say that they are empty, and some have no end.
 */
export function startOf(path: string, most = LONGEST): Start | undefined {
  try {
    return reading(path, 'followed', (descriptor, stats) =>
      stats.isFile() ? readUpTo(descriptor, Math.min(most, Math.max(stats.size, LONGEST))) : undefined,
    );
  } catch {
    return undefined;
  }
}

function cannotOpen(path: string, code: string): CordonError {
  const [what, hint] = OPEN_PROBLEMS[code] ?? [`cannot be opened (${code})`, 'check the path, its owner and mode'];
  return refusal(path, what, hint);
}

const OPEN_PROBLEMS: Readonly<Record<string, readonly [string, string]>> = {
  ENOENT: ['does not exist', 'check the path'],
  ENOTDIR: ['does not exist', 'a part of its path is no folder'],
  EACCES: ['may not be read', 'check its owner and mode, and those of the folders above'],
  ELOOP: ['is a link that leads nowhere but to itself', 'check where the link points'],
  ENXIO: ['is a socket', 'give a regular file'],
  ENAMETOOLONG: ['has a name that is too long', 'check the path'],
};

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return 'a folder';
  if (stats.isFIFO()) return 'a FIFO';
  return stats.isCharacterDevice() || stats.isBlockDevice() ? 'a device' : 'not a regular file';
}

const NO_FILE_HINTS: Readonly<Record<string, string>> = {
  'a folder': 'name the files in it, or run cordon check without a file inside it',
};

function readUpTo(descriptor: number, most: number): Start {
  const chunks: Buffer[] = [];
  for (let length = 0; length <= most; ) {
    const chunk = Buffer.alloc(65_536);
    const count = readSync(descriptor, chunk, 0, chunk.length, null);
    if (count === 0) return { data: Buffer.concat(chunks), whole: true };
    chunks.push(chunk.subarray(0, count));
    length += count;
  }
  return { data: Buffer.concat(chunks).subarray(0, most), whole: false };
}

const tooLarge = (path: string) =>
  refusal(path, `is larger than ${LONGEST / 1024 / 1024} MiB`, 'nobody wrote that by hand; is it the right file?');

function decode(path: string, data: Buffer): string {
  if (data.includes(0))
    throw refusal(path, 'is a binary file', 'check reads text: JSON, TOML, YAML, Dockerfiles, lists');
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(data);
  } catch {
    throw refusal(path, 'is not UTF-8 text', 'save it as UTF-8');
  }
}

function refusal(path: string, what: string, hint: string): CordonError {
  return new CordonError('check', `the file ${what}`, { where: path, hint });
}
