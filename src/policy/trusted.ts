import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CordonError } from '../host/errors.ts';
import { ensureFolder } from '../host/files.ts';
import { replaceFile } from '../host/whole-file.ts';

/**
 * What a person has looked at and trusts: a path, and the digest of what stood there with all it extends. Any change asks again. The
 * file lies in Cordon's configuration, which no command can write.
 */
export interface TrustedEntry {
  readonly digest: string;
  readonly since: string;
}

export type Trusted = Readonly<Record<string, TrustedEntry>>;

const fileIn = (config: string) => join(config, 'trusted.json');

/** Nothing is trusted by a file that cannot be read. */
export function readTrusted(config: string | undefined): Trusted {
  if (config === undefined) return {};
  try {
    const found = JSON.parse(readFileSync(fileIn(config), 'utf8')) as unknown;
    const entries = Object.entries(found ?? {}).filter(([, entry]) => isEntry(entry));
    return Object.fromEntries(entries) as Trusted;
  } catch {
    return {};
  }
}

const isEntry = (entry: unknown) =>
  typeof entry === 'object' && entry !== null && /^[0-9a-f]{64}$/.test(String((entry as TrustedEntry).digest));

export function writeTrusted(config: string | undefined, trusted: Trusted): void {
  if (config === undefined) throw new CordonError('trust', 'there is no home to remember it in', { hint: 'set HOME' });
  ensureFolder(config);
  replaceFile(fileIn(config), `${JSON.stringify(trusted, null, 2)}\n`);
}

/** Of the very texts that were read, each with its path, so that nothing can be swapped between the look and the use. */
export function digestOf(sources: ReadonlyMap<string, string>): string {
  const hash = createHash('sha256');
  for (const [path, text] of [...sources].toSorted(([a], [b]) => (a < b ? -1 : 1)))
    hash.update(`${Buffer.byteLength(path)} ${path}\n${Buffer.byteLength(text)} ${text}\n`);
  return hash.digest('hex');
}

/** By its real path: what only leads to something trusted is not trusted. */
export const isTrusted = (trusted: Trusted, path: string, sources: ReadonlyMap<string, string>) =>
  Object.hasOwn(trusted, path) && trusted[path]?.digest === digestOf(sources);
