import { readdirSync, readlinkSync, rmdirSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { CordonError } from './errors.ts';
import { ensureFolder, quietly } from './files.ts';
import { statOf } from './session.ts';

/**
 * One editor at a time, by Lamport's bakery algorithm on files. Node cannot lock a file, and a lock file that a killed process left
 * behind cannot be taken over without a race. Here nobody takes over anything: everyone has files of their own, whose names hold the
 * process and its start time, so what a dead process left is simply not counted.
 */
export function withLock<T>(folder: string, act: () => T): T {
  const own = new Place(folder, processId());
  own.takeTicket();
  try {
    own.waitForTurn();
    return act();
  } finally {
    own.leave();
  }
}

/** The same for what takes its time: other work of this process goes on meanwhile, which may not ask for the same lock. */
export async function withLockHeld<T>(folder: string, act: () => Promise<T>): Promise<T> {
  const own = new Place(folder, processId());
  own.takeTicket();
  try {
    for (const milliseconds of own.pauses()) await after(milliseconds);
    return await act();
  } finally {
    own.leave();
  }
}

const CHOOSING = 'choosing';
const PATIENCE_MS = 60_000;
const PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 100;
/** Of a process in another PID namespace nobody knows whether it lives. */
const UNKNOWN_LIVES_MS = 60_000;

class Place {
  readonly #folder: string;
  readonly #id: string;
  #ticket = '';

  constructor(folder: string, id: string) {
    this.#folder = folder;
    this.#id = id;
  }

  takeTicket(): void {
    this.#write(`${CHOOSING}.${this.#id}`);
    const highest = this.#others().reduce((most, { number }) => Math.max(most, number), 0);
    this.#ticket = `${String(highest + 1).padStart(9, '0')}.${this.#id}`;
    this.#write(this.#ticket);
    this.#remove(`${CHOOSING}.${this.#id}`);
  }

  waitForTurn(): void {
    for (const milliseconds of this.pauses()) pause(milliseconds);
  }

  /** Until it is its turn. As long as the line moves, waiting is worth it. The further back, the rarer the looks. */
  *pauses(): Generator<number> {
    let waited = 0;
    let first = '';
    for (let ahead = this.#ahead(); ahead.length > 0; ahead = this.#ahead()) {
      const next = ahead[0] as LockMark;
      waited = next.file === first ? waited : 0;
      first = next.file;
      if (waited >= PATIENCE_MS) throw busy(this.#folder, next.id);
      const milliseconds = Math.min(ahead.length * PAUSE_MS, LONGEST_PAUSE_MS);
      yield milliseconds;
      waited += milliseconds;
    }
  }

  /** Two looks, in this order: who is not choosing any more at the first has a ticket that the second sees. */
  #ahead(): LockMark[] {
    const choosing = this.#others().filter(({ number }) => number === 0);
    const before = this.#others().filter(({ file, number }) => number > 0 && file < this.#ticket);
    return [...before.sort((a, b) => (a.file < b.file ? -1 : 1)), ...choosing];
  }

  leave(): void {
    this.#remove(`${CHOOSING}.${this.#id}`);
    this.#remove(this.#ticket);
    quietly(() => rmdirSync(this.#folder));
  }

  #others(): LockMark[] {
    const marks = readdirSync(this.#folder)
      .map(markOf)
      .filter(({ id }) => id !== this.#id);
    return marks.filter((mark) => this.#isAlive(mark));
  }

  #isAlive({ id, file }: LockMark): boolean {
    if (isAlive(id, () => this.#ageOf(file))) return true;
    this.#remove(file);
    return false;
  }

  #ageOf(file: string): number {
    return Date.now() - (quietly(() => statSync(join(this.#folder, file)).mtimeMs) ?? 0);
  }

  /** The last one out removes the folder, so it may vanish at any moment. */
  #write(file: string): void {
    for (let tries = 0; ; tries++) {
      try {
        ensureFolder(this.#folder);
        writeFileSync(join(this.#folder, file), '', { mode: 0o600 });
        return;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || tries > 1000) throw error;
      }
    }
  }

  #remove(file: string): void {
    if (file !== '') quietly(() => unlinkSync(join(this.#folder, file)));
  }
}

interface LockMark {
  readonly file: string;
  /** 0 while its owner is still choosing. */
  readonly number: number;
  readonly id: string;
}

function markOf(file: string): LockMark {
  const dot = file.indexOf('.');
  const head = file.slice(0, dot);
  return { file, number: head === CHOOSING ? 0 : Number(head), id: file.slice(dot + 1) };
}

function processId(): string {
  return [process.pid, statOf(process.pid)[19] ?? 0, pidNamespace()].join('-');
}

function isAlive(id: string, age: () => number): boolean {
  const [pid = '', start, namespace] = id.split('-');
  if (namespace !== pidNamespace()) return age() < UNKNOWN_LIVES_MS;
  if (process.platform === 'linux') return statOf(pid)[19] === start;
  return quietly(() => process.kill(Number(pid), 0)) ?? false;
}

function pidNamespace(): string {
  return quietly(() => readlinkSync('/proc/self/ns/pid').replace(/\D/g, '')) ?? '0';
}

function pause(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

function busy(folder: string, id: string): CordonError {
  return new CordonError(
    'busy',
    `another cordon (process ${id.split('-')[0]}) has been changing the same for a minute`,
    {
      where: folder,
      hint: 'wait for it or end it, then try again; nothing was changed',
    },
  );
}
