import { mkdirSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ensureFolder } from '../host/ensure-folder.ts';
import { CordonError } from '../host/errors.ts';
import { isRunning, ownMark } from './owner.ts';

const SESSION_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/** The folder of one session below that of its process, so that what a dead process left is known by its name. */
export class SessionFolder {
  readonly path: string;
  readonly #process: string;

  constructor(state: string, id: string) {
    if (!SESSION_ID.test(id))
      throw new CordonError('session', 'the id of a session has letters, digits, _ and - only, at most 64');
    const sessions = join(state, 'sessions');
    sweep(sessions);
    this.#process = join(sessions, ownMark());
    this.path = join(this.#process, id);
    make(this.#process, this.path, id);
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
    try {
      rmdirSync(this.#process);
    } catch {
      // Other sessions of this process are still open.
    }
  }
}

function make(owner: string, path: string, id: string): void {
  try {
    ensureFolder(owner);
    mkdirSync(path, 0o700);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const taken = code === 'EEXIST';
    throw new CordonError(
      'session',
      taken ? `the session ${id} is open already` : `no folder for a session (${code})`,
      {
        where: owner,
        hint: taken ? 'close it first, or leave the id to Cordon' : 'the state folder must be writable',
      },
    );
  }
}

const swept = new Set<string>();

/** What a process that was killed left behind; once per process, since only the dead leave anything. */
function sweep(sessions: string): void {
  if (swept.has(sessions)) return;
  swept.add(sessions);
  for (const mark of list(sessions))
    if (isRunning(mark) === false) rmSync(join(sessions, mark), { recursive: true, force: true });
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
