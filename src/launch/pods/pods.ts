import { createHash, randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { CordonError } from '../../host/errors.ts';
import { type Api, ApiRefusal, Away } from './api.ts';
import { type ExecPlace, RelayedProcess } from './exec.ts';
import { Follower } from './follow.ts';
import { OWN_FOLDER, type PodTemplate, podOf } from './template.ts';
import { Silent } from './web-socket.ts';

export interface PodsOptions {
  readonly api: Api;
  readonly template: PodTemplate;
  /** How many are kept ready that nobody has had. */
  readonly warm: number;
  /** One whose user has not called for so long is removed. */
  readonly idleMs: number;
  readonly log: (line: string) => void;
}

interface Pod {
  readonly name: string;
  readonly madeAt: number;
  user: string | undefined;
  node: string | undefined;
  isReady: boolean;
  /** Why it is not ready yet, as Kubernetes says. */
  problem: string;
  busy: number;
  lastUsed: number;
  hadCalls: boolean;
  /** Settled when it is ready, or gone. */
  readonly waiting: Set<(isThere: boolean) => void>;
}

/** A pod for one call. */
export interface Lease {
  readonly pod: string;
  /** What the user should know: an earlier pod is gone, and its files with it. */
  readonly note: string | undefined;
  /** Rejects with `Lost` where another pod should be tried. */
  exec(): Promise<RelayedProcess>;
  /** After a call of which nobody knows how it ended: whether its pod can still be reached. */
  examine(): Promise<void>;
  /** Its call has begun, and whoever called hears the note. */
  told(): void;
  leave(): void;
}

/** Nothing was run there, and nothing will be. */
export class Lost extends Error {}

const READY_MS = 60_000;
const LOOK_MS = 2000;
const AGAIN_MS = { least: 500, most: 15_000 };
/** A node that did not answer gets no pods of ours for so long; by then Kubernetes knows. */
const AVOID_MS = 60_000;
/** What the API server says when it finds no way to a node. */
const UNREACHABLE = /dialing backend|connect: |i\/o timeout|no route/;
const FRONT = 'cordon/front';
const LIFE = 'cordon/life';
const GONE = "this user's earlier pod is gone, and what was in its /workspace with it";

/**
 * The pods of all users of this front: one for each who is active, and some that nobody has had yet. One that had a user is never
 * another's. It is removed, and its own launcher refuses anybody else.
 */
export class Pods {
  readonly #options: PodsOptions;
  readonly #pods = new Map<string, Pod>();
  readonly #byUser = new Map<string, Promise<Pod>>();
  readonly #notes = new Map<string, string>();
  readonly #avoided = new Map<string, number>();
  readonly #unwanted = new Set<string>();
  readonly #ended = new AbortController();
  readonly #front = hostname().split('.')[0]?.slice(0, 63) ?? 'front';
  readonly #life = randomBytes(8).toString('hex');
  #sweep: NodeJS.Timeout | undefined;
  #isFilling = false;

  constructor(options: PodsOptions) {
    this.#options = options;
  }

  /** What an earlier life of this front left is removed: nobody knows any more whose it was. */
  async start(): Promise<void> {
    const query = new URLSearchParams({ labelSelector: `${FRONT}=${this.#front}` }).toString();
    const { api, log } = this.#options;
    const follower = new Follower(
      { api, log, path: `${this.#path()}?${query}`, ended: this.#ended.signal },
      {
        seen: (pod) => this.#observe(pod),
        all: (names, asOf) => this.#reconcile(names, asOf),
        gone: (name) => this.#vanished(name),
      },
    );
    await follower.list().catch((error: Error) => {
      throw this.#inWords(error);
    });
    void follower.follow(AGAIN_MS);
    this.#sweep = setInterval(() => this.#tidy(), Math.min(30_000, Math.max(250, this.#options.idleMs / 4)));
    void this.#fill();
  }

  async stop(): Promise<void> {
    this.#ended.abort();
    clearInterval(this.#sweep);
    await Promise.allSettled([...this.#pods.keys(), ...this.#unwanted].map((name) => this.#delete(name)));
    this.#options.api.close();
  }

  async take(user: string): Promise<Lease> {
    const known = this.#byUser.get(user);
    const providing = known ?? this.#provide(user);
    if (known === undefined) {
      this.#byUser.set(user, providing);
      providing.catch(() => this.#byUser.get(user) === providing && this.#byUser.delete(user));
    }
    const pod = await providing;
    pod.busy++;
    return this.#lease(pod, user);
  }

  #lease(pod: Pod, user: string): Lease {
    const note = this.#notes.get(user);
    let left = false;
    return {
      pod: pod.name,
      note,
      exec: () => this.#exec(pod, user),
      examine: () => this.#examine(pod),
      leave: () => {
        if (left) return;
        left = true;
        pod.busy--;
        pod.lastUsed = performance.now();
      },
      told: () => {
        pod.hadCalls = true;
        this.#notes.delete(user);
      },
    };
  }

  /* ── a call ── */

  async #exec(pod: Pod, user: string): Promise<RelayedProcess> {
    const { api, template } = this.#options;
    const place: ExecPlace = {
      ...{ api, namespace: template.namespace, container: template.container, launcher: template.launcher },
      pod: pod.name,
      folder: OWN_FOLDER,
      mark: createHash('sha256').update(`${this.#life} ${user}`).digest('hex'),
    };
    try {
      return await RelayedProcess.open(place);
    } catch (error) {
      if (error instanceof Away) throw away(error);
      const isSilent = error instanceof Silent;
      if (!isSilent && !(error instanceof ApiRefusal)) throw error;
      if (error instanceof ApiRefusal && (error.status === 401 || error.status === 403)) throw this.#refused(error);
      // A pod that is not there, a node that does not answer, or a server that is too busy: the last keeps the user's pod.
      await this.#examine(pod, isSilent || UNREACHABLE.test((error as Error).message));
      if (this.#pods.has(pod.name)) throw away(new Away('it is too busy'));
      throw new Lost(isSilent ? 'no answer' : (error as Error).message);
    }
  }

  /** Where the API server answers for a pod that does not, the pod is given up, and its node left alone for a while. */
  async #examine(pod: Pod, avoidNode = true): Promise<void> {
    const { api } = this.#options;
    try {
      await api.ask('GET', this.#path(pod.name));
    } catch (error) {
      if (error instanceof Away || (error instanceof ApiRefusal && error.status !== 404)) return;
    }
    if (avoidNode && pod.node !== undefined) this.#avoided.set(pod.node, performance.now() + AVOID_MS);
    this.#remove(pod, 'it cannot be reached');
  }

  #inWords(error: unknown): unknown {
    if (error instanceof ApiRefusal) return this.#refused(error);
    return error instanceof Away ? away(error) : error;
  }

  /** Its words are for the log: they name what users need not know. */
  #refused({ status, message }: ApiRefusal): CordonError {
    this.#options.log(`pods: Kubernetes refuses (${status}): ${message}`);
    return new CordonError('pods', `Kubernetes refuses (${status}): nothing was run`, {
      hint: 'the log of the server says why',
    });
  }

  /* ── pods of users ── */

  async #provide(user: string): Promise<Pod> {
    const pod = this.#unused() ?? (await this.#make(user));
    pod.user = user;
    pod.lastUsed = performance.now();
    void this.#fill();
    await this.#ready(pod);
    return pod;
  }

  /** One that nobody has had, ready where there is any. */
  #unused(): Pod | undefined {
    if (this.#options.template.isPerUser) return undefined;
    const free = [...this.#pods.values()].filter((pod) => pod.user === undefined && !this.#isAvoided(pod.node));
    return free.find(({ isReady }) => isReady) ?? free[0];
  }

  async #make(user: string | undefined): Promise<Pod> {
    const { api, template } = this.#options;
    const name = `cordon-${randomBytes(8).toString('hex')}`;
    const pod: Pod = {
      ...{ name, user, madeAt: performance.now(), node: undefined, isReady: false, problem: '', busy: 0 },
      lastUsed: performance.now(),
      hadCalls: false,
      waiting: new Set(),
    };
    this.#pods.set(name, pod);
    try {
      const labels = { [FRONT]: this.#front, [LIFE]: this.#life };
      await api.ask('POST', this.#path(), podOf(template, { name, labels, user, avoid: this.#avoidedNodes() }));
    } catch (error) {
      this.#pods.delete(name);
      // It may have been made all the same.
      if (error instanceof Away) this.#unwanted.add(name);
      throw this.#inWords(error);
    }
    return pod;
  }

  #ready(pod: Pod): Promise<void> {
    if (pod.isReady) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const settle = (isThere: boolean) => {
        clearTimeout(timer);
        clearInterval(looking);
        pod.waiting.delete(settle);
        if (isThere) return resolve();
        const why = pod.problem === '' ? 'it did not start' : pod.problem;
        if (this.#pods.has(pod.name)) this.#remove(pod, why);
        reject(
          new CordonError('pods', `there is no pod for this user: ${why}: nothing was run`, { hint: 'try again' }),
        );
      };
      const timer = setTimeout(() => settle(false), READY_MS);
      // A watch whose server went away without a word says nothing for minutes.
      const looking = setInterval(() => void this.#look(pod), LOOK_MS);
      pod.waiting.add(settle);
    });
  }

  async #look({ name }: Pod): Promise<void> {
    const found = await this.#options.api.ask('GET', this.#path(name)).catch(() => undefined);
    if (found !== undefined) this.#observe(found);
  }

  /** As many as should be there that nobody has. */
  async #fill(): Promise<void> {
    if (this.#isFilling || this.#options.template.isPerUser) return;
    this.#isFilling = true;
    let wait = AGAIN_MS.least;
    while (!this.#ended.signal.aborted && this.#unusedCount() < this.#options.warm)
      try {
        await this.#make(undefined);
        wait = AGAIN_MS.least;
      } catch (error) {
        this.#options.log(`pods: no pod can be made: ${(error as Error).message}`);
        await pause(wait, undefined, { signal: this.#ended.signal, ref: false }).catch(() => undefined);
        wait = Math.min(AGAIN_MS.most, wait * 2);
      }
    this.#isFilling = false;
  }

  #unusedCount(): number {
    return [...this.#pods.values()].filter(({ user, node }) => user === undefined && !this.#isAvoided(node)).length;
  }

  #remove(pod: Pod, why: string): void {
    if (!this.#pods.delete(pod.name)) return;
    this.#unwanted.add(pod.name);
    void this.#delete(pod.name);
    this.#forget(pod, why);
  }

  #forget(pod: Pod, why: string): void {
    this.#pods.delete(pod.name);
    for (const settle of pod.waiting) settle(false);
    if (pod.user !== undefined) {
      this.#byUser.delete(pod.user);
      if (why !== IDLE) {
        if (pod.hadCalls) this.#notes.set(pod.user, GONE);
        this.#options.log(`pods: the pod of a user is given up: ${why}`);
      }
    }
    void this.#fill();
  }

  async #delete(name: string): Promise<void> {
    try {
      await this.#options.api.ask('DELETE', this.#path(name));
    } catch (error) {
      if (!(error instanceof ApiRefusal && error.status === 404)) return;
    }
    this.#unwanted.delete(name);
  }

  #tidy(): void {
    const now = performance.now();
    for (const pod of [...this.#pods.values()]) {
      const isIdle = pod.user !== undefined && pod.busy === 0 && now - pod.lastUsed > this.#options.idleMs;
      if (isIdle && pod.waiting.size === 0) this.#remove(pod, IDLE);
      else if (pod.user === undefined && this.#isAvoided(pod.node)) this.#remove(pod, 'its node does not answer');
      else if (pod.user === undefined && !pod.isReady && now - pod.madeAt > READY_MS) this.#remove(pod, pod.problem);
    }
    for (const name of this.#unwanted) void this.#delete(name);
  }

  #isAvoided(node: string | undefined): boolean {
    return node !== undefined && (this.#avoided.get(node) ?? 0) > performance.now();
  }

  #avoidedNodes = () => [...this.#avoided.keys()].filter((node) => this.#isAvoided(node));

  /* ── what becomes of them ── */

  #path = (name?: string) =>
    `/api/v1/namespaces/${this.#options.template.namespace}/pods${name === undefined ? '' : `/${name}`}`;

  #reconcile(names: ReadonlySet<string>, asOf: number): void {
    for (const pod of [...this.#pods.values()])
      if (!names.has(pod.name) && pod.madeAt < asOf) this.#forget(pod, 'it was deleted');
  }

  #vanished(name: string): void {
    const pod = this.#pods.get(name);
    if (pod !== undefined) this.#forget(pod, 'it was deleted');
  }

  // biome-ignore lint/suspicious/noExplicitAny: a pod as the API server tells of it
  #observe({ metadata, spec, status }: any): void {
    const pod = this.#pods.get(metadata.name);
    if (pod === undefined) {
      // Of an earlier life, or given up.
      if (metadata.deletionTimestamp === undefined && !this.#isBeingMade(metadata)) void this.#delete(metadata.name);
      return;
    }
    pod.node = spec.nodeName;
    const conditions: { type: string; status: string; message?: string }[] = status?.conditions ?? [];
    const waiting = status?.containerStatuses?.[0]?.state?.waiting;
    pod.problem = waiting?.message ?? conditions.find((one) => one.status === 'False')?.message ?? '';
    if (metadata.deletionTimestamp !== undefined || status?.phase === 'Failed' || status?.phase === 'Succeeded')
      this.#remove(pod, status?.message ?? 'it has ended');
    const wasReady = pod.isReady;
    pod.isReady = conditions.some((one) => one.type === 'Ready' && one.status === 'True');
    if (pod.isReady && !wasReady) for (const settle of pod.waiting) settle(true);
  }

  #isBeingMade = ({ labels }: { readonly labels?: Readonly<Record<string, string>> }) => labels?.[LIFE] === this.#life;
}

const IDLE = 'its user has not called for a while';

const away = ({ message }: Away) =>
  new CordonError('pods', `the API server of Kubernetes cannot be reached (${message}): nothing was run`, {
    hint: 'try again',
  });
