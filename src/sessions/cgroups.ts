import { existsSync, mkdirSync, readdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { textIn } from '../host/files.ts';
import { fateOf, ownMark } from './owner.ts';

const PREFIX = 'cordon-';

/** Where control groups can be made: one folder with both controllers (version 2), or one folder for each (version 1). */
export interface CgroupPlaces {
  readonly version: 1 | 2;
  readonly memory: string;
  readonly pids: string;
}

export interface GroupLimits {
  readonly memory: number;
  readonly processes: number;
}

let made = 0;

/** The process that made a group is in its name, so that leftovers are known. */
export const groupName = (number: number) => `${PREFIX}${ownMark()}-${number}`;

/** A control group for one call. */
export class Cgroup {
  readonly #version: 1 | 2;
  readonly #memory: string;
  readonly #pids: string;

  constructor(places: CgroupPlaces) {
    const name = groupName(++made);
    this.#version = places.version;
    this.#memory = join(places.memory, name);
    this.#pids = join(places.pids, name);
    for (const folder of this.#folders()) mkdirSync(folder);
  }

  /** The kernel makes whoever writes this wait, so it is no one who serves others. */
  async join(pid: number): Promise<void> {
    for (const folder of this.#folders()) await writeFile(join(folder, 'cgroup.procs'), String(pid));
  }

  /** Which limits were hit, as the kernel counted. */
  hits(): { readonly memory: boolean; readonly processes: boolean } {
    const memory = textIn(join(this.#memory, this.#version === 2 ? 'memory.events' : 'memory.oom_control'));
    return {
      memory: counted(memory, 'oom_kill') > 0,
      processes: counted(textIn(join(this.#pids, 'pids.events')), 'max') > 0,
    };
  }

  /** False while the last of its processes are still dying. */
  remove(): boolean {
    return this.#folders().map(tryRemove).every(Boolean);
  }

  #folders(): string[] {
    return [...new Set([this.#memory, this.#pids])];
  }

  limit({ memory, processes }: GroupLimits): void {
    writeFileSync(join(this.#pids, 'pids.max'), String(processes));
    writeFileSync(join(this.#memory, this.#version === 2 ? 'memory.max' : 'memory.limit_in_bytes'), String(memory));
    // Swapping must not be a way around it; not every kernel can say so.
    const swap = this.#version === 2 ? ['memory.swap.max', '0'] : ['memory.memsw.limit_in_bytes', String(memory)];
    if (existsSync(join(this.#memory, swap[0] as string)))
      writeFileSync(join(this.#memory, swap[0] as string), swap[1] as string);
  }
}

/** Groups of processes that were killed before they could tidy up. */
export function sweepCgroups(places: CgroupPlaces): void {
  for (const place of new Set([places.memory, places.pids]))
    for (const name of readdirSync(place)) {
      const mark = name.startsWith(PREFIX) ? name.slice(PREFIX.length, name.lastIndexOf('-')) : '';
      if (fateOf(mark) === 'gone') tryRemove(join(place, name));
    }
}

export function tryRemove(folder: string): boolean {
  try {
    rmdirSync(folder);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}

const counted = (text: string, word: string) => Number(new RegExp(`^${word} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
