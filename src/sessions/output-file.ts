import { closeSync, constants, mkdirSync, openSync, writeSync } from 'node:fs';
import { CordonError } from '../host/errors.ts';
import { sizeText } from './words.ts';

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY, O_CREAT, O_EXCL, O_WRONLY } = constants;

/**
 * A new file below the workspace, where commands may have put links: each part of the way is opened from the one before, and none may
 * be a link, so that nothing outside is ever written.
 */
export class OutputFile {
  readonly #descriptor: number;
  readonly #limit: number;
  #written = 0;
  #problem: string | undefined;

  constructor(workspace: string, path: string, limit: number) {
    this.#descriptor = create(workspace, path);
    this.#limit = limit;
  }

  /** A full disk ends the file, not the call. */
  write(chunk: Buffer): void {
    if (this.#problem !== undefined) return;
    const part = chunk.subarray(0, this.#limit - this.#written);
    try {
      for (let done = 0; done < part.length; ) done += writeSync(this.#descriptor, part, done);
      this.#written += part.length;
      if (part.length < chunk.length)
        this.#problem = `the limit of ${sizeText(this.#limit)} for the output file: it has the beginning only`;
    } catch (error) {
      this.#problem = problemOf(error as NodeJS.ErrnoException);
    }
  }

  /** What it ended at, when it lacks something. */
  get problem(): string | undefined {
    return this.#problem;
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}

function problemOf({ code }: NodeJS.ErrnoException): string {
  const full = code === 'ENOSPC' || code === 'EDQUOT';
  return `${full ? 'a full disk' : `an error of the disk (${code})`}: the output file is cut off`;
}

function create(workspace: string, path: string): number {
  const parts = path.split('/');
  const name = parts.pop();
  if (
    name === undefined ||
    [...parts, name].some((part) => part === '' || part === '.' || part === '..' || part.includes('\0'))
  )
    throw refusal(path, 'it must be a path below the workspace', 'for example .output/1.txt');
  let folder = openSync(workspace, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  try {
    for (const part of parts) folder = descend(folder, part);
    return openSync(`/proc/self/fd/${folder}/${name}`, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  } catch (error) {
    if (error instanceof CordonError) throw error;
    throw refusal(
      path,
      `it cannot be made (${(error as NodeJS.ErrnoException).code})`,
      'no part may be a link, and no such file may be there',
    );
  } finally {
    closeSync(folder);
  }
}

function descend(folder: number, name: string): number {
  const path = `/proc/self/fd/${folder}/${name}`;
  try {
    mkdirSync(path, 0o700);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const next = openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  closeSync(folder);
  return next;
}

function refusal(path: string, why: string, hint: string): CordonError {
  return new CordonError('session', `no file for the output: ${why}`, { where: path, hint });
}
