import { setTimeout as pause } from 'node:timers/promises';
import { CordonError } from '../host/errors.ts';
import { nativeLauncher } from '../launch/machine.ts';
import { WaitingLauncher } from '../launch/waiting.ts';
import { findCgroups } from './cgroup-places.ts';
import { Cgroup, type CgroupPlaces, sweepCgroups } from './cgroups.ts';

/** Where a call is started: a launcher that waits, in a control group of its own where there are any. */
export interface CallPlace {
  readonly launcher: WaitingLauncher;
  readonly group: Cgroup | undefined;
}

const MOST_IDLE = 4;

/** Launchers that are ready before they are needed: entering a control group waits for all processors, which no call should. */
export class LauncherPool {
  readonly launcher: string;
  readonly cgroups: CgroupPlaces | undefined;
  #idle: CallPlace[] = [];
  #sessions = 0;
  #preparing = 0;
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
  async sessionClosed(): Promise<void> {
    this.#sessions--;
    if (this.#sessions === 0) for (const place of this.#idle.splice(0)) this.leave(place);
    do await Promise.allSettled(this.#busy);
    while (this.#sessions === 0 && this.#busy.size > 0);
  }

  async take(): Promise<CallPlace> {
    const ready = this.#idle.pop();
    const place = ready?.launcher.isWaiting === true ? ready : await this.#make();
    if (ready !== undefined && place !== ready) this.leave(ready);
    return place;
  }

  /** Its processes may still be dying, which nobody has to wait for but who closes the session. */
  leave(place: CallPlace): void {
    this.#track(leave(place));
    setImmediate(() => this.#prepare());
  }

  /** Starting a process holds everything up for a moment: whoever waits for a result has it first. */
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
    const launcher = new WaitingLauncher(this.launcher);
    try {
      if (launcher.pid === undefined) throw new Error('it could not be started');
      await group?.join(launcher.pid);
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
