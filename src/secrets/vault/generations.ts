import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { CordonError } from '../../host/errors.ts';
import { addFile, isFreshName, syncFolder } from '../../host/whole-file.ts';

/**
 * A file that many processes replace without losing anything and without a lock that a killed one could leave behind: each state is a new
 * file with the next number. Linking it into place succeeds for one writer only; the others begin again from what it wrote.
 */
export interface Generation {
  readonly number: number;
  readonly path: string;
  readonly data: Buffer;
}

const NAME = /^vault\.(\d{1,15})\.age$/;
const pathOf = (folder: string, number: number) => join(folder, `vault.${number}.age`);

/** The newest one. Reading a folder while others change it can miss both the old and the new file: look again. */
export function newest(folder: string): Generation | undefined {
  for (let attempt = 0; attempt < 100 && existsSync(folder); attempt++) {
    const number = numbers(folder).at(-1);
    const found = number === undefined ? undefined : read(folder, number);
    if (found !== undefined && numbers(folder).at(-1) === number) return found;
    if (number === undefined && attempt >= 10) return undefined;
    if (attempt > 0) pause(attempt);
  }
  if (existsSync(folder)) throw new CordonError('vault', 'others write to the vault without end', { where: folder });
  return undefined;
}

/** Puts `data` in the place of `base`; false when another writer was faster. A full disk or a crash leaves the old one as it is. */
export function replace(folder: string, base: Generation | undefined, data: Uint8Array): boolean {
  const number = (base?.number ?? 0) + 1;
  if (!place(folder, pathOf(folder, number), data)) return false;
  if (!follows(folder, number, base)) return false;
  removeOlder(folder, number);
  return true;
}

/**
 * The number may have been free because it was used and removed long ago. Whoever removes one has removed those before it first, so a base
 * that is still there, byte for byte, tells that it was not: no two encryptions are alike. A file that does not follow is left to the next
 * `removeOlder`: another writer may have built on it.
 */
function follows(folder: string, number: number, base: Generation | undefined): boolean {
  if (base === undefined) return !numbers(folder).some((other) => other > number);
  return read(folder, base.number)?.data.equals(base.data) === true;
}

/** Lasts through a loss of power. False where there is one already. */
export function place(folder: string, path: string, data: Uint8Array | string): boolean {
  if (!addFile(path, data)) return false;
  syncFolder(folder);
  return true;
}

/** In rising order, which `follows` relies on. What a killed writer left is removed too, once it is surely dead. */
function removeOlder(folder: string, number: number): void {
  for (const old of numbers(folder).filter((other) => other < number)) rmSync(pathOf(folder, old), { force: true });
  const abandoned = readdirSync(folder).filter((name) => isUnfinished(name) && isOld(join(folder, name)));
  for (const name of abandoned) rmSync(join(folder, name), { force: true });
}

/** Earlier versions called it `new.`. */
const isUnfinished = (name: string) => isFreshName(name) || name.startsWith('new.');

const AN_HOUR = 3_600_000;

function isOld(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats !== undefined && Date.now() - stats.mtimeMs > AN_HOUR;
}

function numbers(folder: string): number[] {
  try {
    return readdirSync(folder)
      .flatMap((name) => NAME.exec(name)?.[1] ?? [])
      .map(Number)
      .sort((a, b) => a - b);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

function read(folder: string, number: number): Generation | undefined {
  const path = pathOf(folder, number);
  try {
    return { number, path, data: readFileSync(path) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function pause(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}
