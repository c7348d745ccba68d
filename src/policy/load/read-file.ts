import { type BigIntStats, closeSync, fstatSync, readSync } from 'node:fs';
import { CordonError } from '../../host/errors.ts';
import { openToRead } from '../../host/files.ts';
import { checkTrust } from './trust.ts';

/** Far more than a policy a person wrote; whatever is longer is no policy. */
const LONGEST = 1024 * 1024;

export interface TrustedText {
  readonly text: string;
  /** Of the very file that was read. */
  readonly file: BigIntStats;
}

/** The text of a policy file, which says something. */
export function readPolicyFile(path: string): string {
  const { text } = readTrustedText(path);
  if (text.trim() === '')
    throw refusal(path, 'is empty', 'an empty policy would pass everything on; write {} in JSON if that is meant');
  return text;
}

/** Everything is checked on the descriptor that is then read, so nothing can change in between. */
export function readTrustedText(path: string): TrustedText {
  const descriptor = open(path);
  try {
    const file = fstatSync(descriptor);
    if (!file.isFile())
      throw refusal(
        path,
        `is ${file.isDirectory() ? 'a folder' : 'not a regular file'}`,
        'give the path of a policy file',
      );
    checkTrust(path, file);
    const text = decode(path, readAll(path, descriptor));
    return { text, file: fstatSync(descriptor, { bigint: true }) };
  } finally {
    closeSync(descriptor);
  }
}

/** Without waiting: opening a FIFO that nobody writes to would hang. */
function open(path: string): number {
  try {
    return openToRead(path, 'followed');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const missing = code === 'ENOENT' || code === 'ENOTDIR';
    throw refusal(
      path,
      missing ? 'does not exist' : `cannot be opened (${code})`,
      missing ? 'check the path' : 'check its owner and mode',
    );
  }
}

function readAll(path: string, descriptor: number): Buffer {
  const buffer = Buffer.alloc(LONGEST + 1);
  let length = 0;
  for (;;) {
    const count = readSync(descriptor, buffer, length, buffer.length - length, null);
    length += count;
    if (length > LONGEST)
      throw refusal(path, `is larger than ${LONGEST / 1024 / 1024} MiB`, 'that is no policy; is it the right file?');
    if (count === 0) return buffer.subarray(0, length);
  }
}

function decode(path: string, data: Buffer): string {
  const text = utf8(path, data);
  if (text.includes('\0')) throw refusal(path, 'is a binary file', 'policies are text: JSON, TOML or YAML');
  return text;
}

function utf8(path: string, data: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(data);
  } catch {
    throw refusal(path, 'is not UTF-8 text', 'save it as UTF-8');
  }
}

function refusal(path: string, what: string, hint: string): CordonError {
  return new CordonError('policy', `the file ${what}`, { where: path, hint });
}
