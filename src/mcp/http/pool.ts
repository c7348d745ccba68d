import type { Session } from '../../sessions/types.ts';
import { CallGate } from '../call-gate.ts';
import { keepOutOfRepositories } from '../output-folder.ts';
import { Rate } from './rate.ts';

export interface UserLimits {
  readonly sessions: number;
  readonly calls: number;
  readonly requestsPerMinute: number;
}

export interface HeldSession {
  readonly user: string;
  readonly session: Session;
  readonly gate: CallGate;
  /** Marks it as in use until the result is called. */
  use(): () => void;
  close(): Promise<void>;
}

export class TooManySessions extends Error {}

interface User {
  readonly gate: CallGate;
  readonly rate: Rate;
  open: number;
}

interface Entry extends HeldSession {
  busy: number;
  lastUsed: number;
  /** What else ends with it. */
  readonly onClose: Set<() => unknown>;
}

export interface PoolOptions {
  readonly open: (user: string) => Promise<Session>;
  readonly limits: UserLimits;
  readonly idleMs: number;
  readonly opened: (session: Session) => void;
}

/** The open sessions of all users; each belongs to one user for good. */
export class SessionPool {
  readonly #options: PoolOptions;
  readonly #users = new Map<string, User>();
  readonly #entries = new Set<Entry>();
  readonly #shared = new Map<string, Promise<Entry>>();

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  get load(): { readonly sessions: number; readonly users: number } {
    return { sessions: this.#entries.size, users: new Set([...this.#entries].map(({ user }) => user)).size };
  }

  /** Seconds to wait before the next request of this user. */
  throttle(user: string): number {
    return this.#user(user).rate.take(performance.now());
  }

  async open(user: string, onClose?: () => unknown): Promise<HeldSession> {
    return this.#open(user, onClose);
  }

  /** The one session of a user whose client knows no sessions; opened again after it has expired. */
  async shared(user: string): Promise<HeldSession> {
    const found = this.#shared.get(user);
    if (found !== undefined) return found;
    const opening = this.#open(user, () => this.#shared.delete(user));
    this.#shared.set(user, opening);
    opening.catch(() => this.#shared.delete(user));
    return opening;
  }

  async #open(user: string, onClose?: () => unknown): Promise<Entry> {
    const state = this.#user(user);
    if (state.open >= this.#options.limits.sessions) throw new TooManySessions();
    state.open++;
    try {
      const session = await this.#options.open(user);
      if (session.isElsewhere !== true) keepOutOfRepositories(session.workspace);
      this.#options.opened(session);
      return this.#hold(session, state, onClose);
    } catch (error) {
      state.open--;
      throw error;
    }
  }

  #hold(session: Session, state: User, onClose?: () => unknown): Entry {
    const entry: Entry = {
      user: session.user,
      session,
      gate: state.gate,
      busy: 0,
      lastUsed: performance.now(),
      onClose: new Set(onClose === undefined ? [] : [onClose]),
      use: () => occupy(entry),
      close: () => this.#close(entry, state),
    };
    this.#entries.add(entry);
    return entry;
  }

  async #close(entry: Entry, state: User): Promise<void> {
    if (!this.#entries.delete(entry)) return;
    for (const also of entry.onClose) await also();
    try {
      await entry.session.close();
    } finally {
      state.open--;
    }
  }

  async closeIdle(): Promise<void> {
    const oldest = performance.now() - this.#options.idleMs;
    await closeEach([...this.#entries].filter(({ busy, lastUsed }) => busy === 0 && lastUsed < oldest));
  }

  async closeAll(): Promise<void> {
    await closeEach([...this.#entries]);
  }

  #user(name: string): User {
    const { limits } = this.#options;
    const known = this.#users.get(name);
    if (known !== undefined) return known;
    const user = {
      gate: new CallGate(limits.calls),
      rate: new Rate(limits.requestsPerMinute, performance.now()),
      open: 0,
    };
    this.#users.set(name, user);
    return user;
  }
}

function occupy(entry: Entry): () => void {
  entry.busy++;
  let left = false;
  return () => {
    if (!left) entry.busy--;
    left = true;
    entry.lastUsed = performance.now();
  };
}

async function closeEach(entries: readonly Entry[]): Promise<void> {
  await Promise.allSettled(entries.map((entry) => entry.close()));
}
