import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { namesIn } from '../host/files.ts';
import { replaceFile } from '../host/whole-file.ts';

/** A host that waits for a person's word. */
export interface Pending {
  readonly id: string;
  readonly time: string;
  /** When it is refused, if nobody has said anything. */
  readonly until: string;
  readonly launch: string;
  readonly subject: string;
  /** Where the policy of the launch comes from, as in the audit record. */
  readonly policy: string;
  readonly name: string;
  readonly port: number;
  /** The process that waits: when it is gone, so is the question. */
  readonly pid: number;
}

export type Word = 'once' | 'launch' | 'no';

const folderOf = (state: string) => join(state, 'pending');
const ID = /^[0-9a-f]{6}$/;

/** What waits now, the oldest first. Questions of processes that are gone are cleared away. */
export function pendingIn(state: string): Pending[] {
  return namesIn(folderOf(state))
    .flatMap((file) => {
      const [id = '', ending] = file.split('.');
      return ID.test(id) && ending === 'json' ? readPending(state, id) : [];
    })
    .toSorted((a, b) => Number(a.time > b.time) - Number(a.time < b.time));
}

function readPending(state: string, id: string): Pending[] {
  try {
    const pending = JSON.parse(readFileSync(join(folderOf(state), `${id}.json`), 'utf8')) as Pending;
    if (isAlive(pending.pid)) return [{ ...pending, id }];
    clear(state, id);
    return [];
  } catch {
    return [];
  }
}

function isAlive(pid: number): boolean {
  try {
    return Number.isInteger(pid) && pid > 0 && process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

export function say(state: string, id: string, word: Word): void {
  replaceFile(join(folderOf(state), `${id}.word`), word);
}

function clear(state: string, id: string): void {
  for (const ending of ['json', 'word']) rmSync(join(folderOf(state), `${id}.${ending}`), { force: true });
}

const LOOKS_EVERY_MS = 200;

/** Asks, and waits for a word; without one in time the answer is no. */
export function ask(
  state: string,
  question: Omit<Pending, 'id' | 'time' | 'until' | 'pid'>,
  ms: number,
): { readonly id: string; readonly word: Promise<Word> } {
  const id = randomBytes(3).toString('hex');
  const folder = folderOf(state);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // A word that came too late for an earlier question of this id is none for this one.
  clear(state, id);
  const now = Date.now();
  const until = now + ms;
  const times = { time: new Date(now).toISOString(), until: new Date(until).toISOString() };
  replaceFile(join(folder, `${id}.json`), JSON.stringify({ ...question, ...times, pid: process.pid }));
  const word = new Promise<Word>((resolve) => {
    const timer = setInterval(() => {
      const said = wordIn(folder, id);
      if (said === undefined && Date.now() < until) return;
      clearInterval(timer);
      clear(state, id);
      resolve(said ?? 'no');
    }, LOOKS_EVERY_MS);
  });
  return { id, word };
}

function wordIn(folder: string, id: string): Word | undefined {
  try {
    const text = readFileSync(join(folder, `${id}.word`), 'utf8');
    return text === 'once' || text === 'launch' ? text : 'no';
  } catch {
    return undefined;
  }
}
