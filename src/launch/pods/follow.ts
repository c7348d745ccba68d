import { setTimeout as pause } from 'node:timers/promises';
import type { Api } from './api.ts';

// biome-ignore lint/suspicious/noExplicitAny: an object as the API server tells of it
type Told = any;

export interface Following {
  readonly api: Api;
  /** A list, with what selects from it. */
  readonly path: string;
  readonly ended: AbortSignal;
  readonly log: (line: string) => void;
}

export interface Followed {
  readonly seen: (object: Told) => void;
  /** The names of all that were there, some time after this. */
  readonly all: (names: ReadonlySet<string>, asOf: number) => void;
  readonly gone: (name: string) => void;
}

const WATCH_SECONDS = 240;

/** A list of the API server, and what becomes of it: a watch from the version of the list on, and all anew when that ends. */
export class Follower {
  readonly #following: Following;
  readonly #followed: Followed;

  constructor(following: Following, followed: Followed) {
    this.#following = following;
    this.#followed = followed;
  }

  /** Gives back its version. */
  async list(): Promise<string> {
    const asOf = performance.now();
    const { items, metadata } = await this.#following.api.ask('GET', this.#following.path);
    for (const item of items) this.#followed.seen(item);
    this.#followed.all(new Set(items.map((item: Told) => item.metadata.name)), asOf);
    return metadata.resourceVersion;
  }

  async follow(again: { readonly least: number; readonly most: number }): Promise<void> {
    const { ended, log } = this.#following;
    let wait = again.least;
    while (!ended.aborted)
      try {
        const version = await this.list();
        wait = again.least;
        await this.#watch(version);
      } catch (error) {
        if (ended.aborted) return;
        log(`pods: the API server says nothing of them: ${(error as Error).message}`);
        await pause(wait, undefined, { signal: ended, ref: false }).catch(() => undefined);
        wait = Math.min(again.most, wait * 2);
      }
  }

  async #watch(version: string): Promise<void> {
    const { api, path, ended } = this.#following;
    const more = new URLSearchParams({
      watch: 'true',
      resourceVersion: version,
      timeoutSeconds: String(WATCH_SECONDS),
    });
    await api.watch(`${path}&${more}`, ended, ({ type, object }: Told) => {
      if (type === 'DELETED') this.#followed.gone(object.metadata.name);
      else if (type !== 'ERROR') this.#followed.seen(object);
    });
  }
}
