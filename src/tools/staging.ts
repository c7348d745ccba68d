import { type BigIntStats, linkSync, renameSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Bytes, bufferOfBytes } from '../host/bytes.ts';
import { CordonError } from '../host/errors.ts';
import { ensureFolder, quietly } from '../host/files.ts';
import { whyItFailed } from '../host/system-error.ts';
import { nameBeside, syncFolder, writeBeside } from '../host/whole-file.ts';

interface Staged {
  readonly path: string;
  /** What takes its place; undefined when it is to go. */
  readonly fresh: string | Buffer | undefined;
}

/**
 * New files written beside the old ones and put in their places together: a full disk or a folder that can't be written shows before
 * anything has changed, and a failure in the middle puts back what was there.
 */
export class Staging {
  readonly #staged: Staged[] = [];
  readonly #reserved: string[] = [];

  /** Lets something stand there already, for those who look at the disk before everything is in its place. */
  reserve(path: string): void {
    explained(path, () => writeFileSync(path, '', { flag: 'wx', mode: 0o600 }));
    this.#reserved.push(path);
  }

  /** Gives what `stat` will say about the file once it is in its place. */
  file(path: string, content: Buffer, mode: number): BigIntStats {
    return explained(path, () => {
      ensureFolder(dirname(path), 0o755);
      const { path: fresh, stats } = writeBeside(path, content, { mode });
      this.#staged.push({ path, fresh });
      return stats;
    });
  }

  link(path: string, target: Bytes): void {
    explained(path, () => {
      ensureFolder(dirname(path), 0o755);
      const fresh = nameBeside(path);
      symlinkSync(bufferOfBytes(target), fresh);
      this.#staged.push({ path, fresh });
    });
  }

  removal(path: string): void {
    this.#staged.push({ path, fresh: undefined });
  }

  commit(): void {
    const undo: (() => void)[] = [];
    const backups: string[] = [];
    try {
      for (const staged of this.#staged) explained(staged.path, () => this.#place(staged, undo, backups));
    } catch (error) {
      for (const step of undo.reverse()) quietly(step);
      throw error;
    } finally {
      for (const backup of backups) quietly(() => unlinkSync(backup));
    }
    this.#reserved.length = 0;
    for (const folder of new Set(this.#staged.map(({ path }) => dirname(path)))) quietly(() => syncFolder(folder));
  }

  /** Whatever has not found its place. */
  abandon(): void {
    for (const { fresh } of this.#staged) if (fresh !== undefined) quietly(() => unlinkSync(fresh));
    for (const path of this.#reserved) quietly(() => unlinkSync(path));
  }

  #place({ path, fresh }: Staged, undo: (() => void)[], backups: string[]): void {
    const backup = nameBeside(path);
    const existed = linkIfPresent(path, backup);
    if (existed) backups.push(backup);
    undo.push(() => (existed ? renameSync(backup, path) : unlinkSync(path)));
    if (fresh !== undefined) renameSync(fresh, path);
    else if (existed) unlinkSync(path);
  }
}

function linkIfPresent(path: string, backup: string): boolean {
  try {
    linkSync(path, backup);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

const HINTS: Readonly<Record<string, string>> = {
  ENOSPC: 'make room, then try again',
  EDQUOT: 'make room, then try again',
  EACCES: 'check the owner and mode of the folder',
  EPERM: 'check the owner and mode of the folder',
  EROFS: 'inside a sandbox the policies cannot be changed: do it outside',
  ENOTDIR: 'move that away',
  EEXIST: 'move that away',
  EISDIR: 'move that away',
};

function explained<T>(path: string, act: () => T): T {
  try {
    return act();
  } catch (cause) {
    const hint = HINTS[(cause as NodeJS.ErrnoException).code ?? ''] ?? 'check the folder';
    throw new CordonError('write', `cannot be written: ${whyItFailed(cause)}; nothing was changed`, {
      where: path,
      hint,
      cause,
    });
  }
}
