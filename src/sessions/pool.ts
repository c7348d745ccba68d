import { setTimeout as pause } from 'node:timers/promises';
import { CordonError } from '../host/errors.ts';
import { LaunchHelper, type WaitingLauncher } from '../launch/launches.ts';
import { nativeLauncher } from '../launch/machine.ts';
import type { LaunchPlan } from '../plan/plan.ts';
import { findCgroups } from './cgroup-places.ts';
import { Cgroup, type CgroupPlaces, sweepCgroups } from './cgroups.ts';

/** Where a call is started: a launcher that waits, in a control group of its own where there are any. */
export interface CallPlace {
  readonly launcher: WaitingLauncher;
  readonly group: Cgroup | undefined;
}

/** A session, as the pool knows it: what was made for one is never another's. */
export type Owner = object;

const MOST_IDLE = 4;
const MOST_READY = 4;

/** No longer than a command may run by default: whatever such a sandbox still has, one that was started then would have too. */
const READY_MS = 30_000;

/**
 * Launchers that are ready before they are needed: entering a control group waits for all processors, which no call should. Of the sessions
 * that were called last, each has a sandbox that is made already and waits for what is to run in it.
 */
export class LauncherPool {
  readonly launcher: string;
  readonly cgroups: CgroupPlaces | undefined;
  #launches: LaunchHelper | undefined;
  #idle: CallPlace[] = [];
  /** The one that was used last comes last. */
  readonly #ready = new Map<Owner, Ready>();
  #sessions = 0;
  #preparing = 0;
  #calls = 0;
  readonly #busy = new Set<Promise<void>>();

  constructor(launcher: string) {
    this.launcher = launcher;
    this.cgroups = findCgroups();
    if (this.cgroups !== undefined) sweepCgroups(this.cgroups);
  }

  sessionOpened(): void {
    this.#sessions++;
    setImmediate(() => this.#prepare());
  }

  /** With the last session the launchers that still wait go too. */
  async sessionClosed(owner: Owner): Promise<void> {
    this.#sessions--;
    this.#drop(owner);
    if (this.#sessions === 0) for (const place of this.#idle.splice(0)) this.leave(place);
    do await Promise.allSettled(this.#busy);
    while (this.#sessions === 0 && this.#busy.size > 0);
    if (this.#sessions > 0) return;
    const launches = this.#launches;
    this.#launches = undefined;
    await launches?.end();
  }

  /** For a call of this session: its own sandbox where that is ready and is what the plan asks for. */
  async take(owner: Owner, plan: LaunchPlan | undefined): Promise<CallPlace> {
    this.#calls++;
    try {
      return this.#takeReady(owner, plan) ?? (await this.#takeIdle());
    } catch (error) {
      this.#calls--;
      throw error;
    }
  }

  /** Its processes may still be dying, which nobody has to wait for but who closes the session. */
  leave(place: CallPlace): void {
    this.#track(leave(place));
    setImmediate(() => this.#prepare());
  }

  /** What a call has ended in. Where nobody else is waiting, the next sandbox of the session is made. */
  leaveCall(place: CallPlace, owner: Owner, next: () => LaunchPlan | undefined): void {
    this.#calls--;
    this.leave(place);
    setImmediate(() => this.#makeReady(owner, next));
  }

  #takeReady(owner: Owner, plan: LaunchPlan | undefined): CallPlace | undefined {
    const ready = this.#ready.get(owner);
    if (ready === undefined) return undefined;
    if (plan !== undefined && ready.place.launcher.isReadyFor(plan)) {
      this.#ready.delete(owner);
      clearTimeout(ready.timer);
      return ready.place;
    }
    this.#drop(owner);
    return undefined;
  }

  async #takeIdle(): Promise<CallPlace> {
    const idle = this.#idle.pop();
    const place = idle?.launcher.isWaiting === true ? idle : await this.#make();
    if (idle !== undefined && place !== idle) this.leave(idle);
    return place;
  }

  /** On a machine that has enough to do it would only take the time of others. */
  #makeReady(owner: Owner, next: () => LaunchPlan | undefined): void {
    if (this.#calls > 0 || this.#sessions === 0 || this.#ready.has(owner)) return;
    const plan = next();
    const place = plan === undefined ? undefined : this.#idle.pop();
    if (plan === undefined || place === undefined) return;
    if (!place.launcher.makeReady(plan)) {
      this.#idle.push(place);
      return;
    }
    const timer = setTimeout(() => this.#drop(owner), READY_MS).unref();
    this.#ready.set(owner, { place, timer });
    const [oldest] = this.#ready.keys();
    if (this.#ready.size > MOST_READY && oldest !== undefined) this.#drop(oldest);
    this.#prepare();
  }

  #drop(owner: Owner): void {
    const ready = this.#ready.get(owner);
    if (ready === undefined) return;
    this.#ready.delete(owner);
    clearTimeout(ready.timer);
    this.leave(ready.place);
  }

  #prepare(): void {
    if (this.#sessions > 0) this.#track(this.#refill());
  }

  #track(work: Promise<void>): void {
    const tracked = work.finally(() => this.#busy.delete(tracked));
    this.#busy.add(tracked);
  }

  async #refill(): Promise<void> {
    if (this.#idle.length + this.#preparing >= MOST_IDLE) return;
    this.#preparing++;
    // What cannot be made ahead is made, or refused, when it is needed.
    const place = await this.#make().catch(() => undefined);
    this.#preparing--;
    if (place === undefined) return;
    if (this.#sessions === 0) this.leave(place);
    else this.#idle.push(place);
  }

  async #make(): Promise<CallPlace> {
    const group = this.cgroups === undefined ? undefined : new Cgroup(this.cgroups);
    if (this.#launches?.isThere !== true) this.#launches = new LaunchHelper(this.launcher);
    const launcher = this.#launches.start();
    try {
      if (group !== undefined) await group.join(await launcher.pid());
      return { launcher, group };
    } catch (cause) {
      this.leave({ launcher, group });
      throw new CordonError('session', 'no sandbox can be started now: nothing was run', {
        cause,
        hint: 'the machine may be out of processes or memory',
      });
    }
  }
}

interface Ready {
  readonly place: CallPlace;
  readonly timer: NodeJS.Timeout;
}

const TRIES = 100;

async function leave({ launcher, group }: CallPlace): Promise<void> {
  if (launcher.isWaiting) await launcher.end();
  for (let i = 0; i < TRIES && group?.remove() === false; i++) await pause(10);
}

let pool: LauncherPool | undefined;

/** Of this process; undefined where Node stands in for the launcher. */
export function poolHere(): LauncherPool | undefined {
  const launcher = nativeLauncher();
  if (launcher === undefined) return undefined;
  if (pool?.launcher !== launcher) pool = new LauncherPool(launcher);
  return pool;
}
