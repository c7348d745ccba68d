import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isRunning, ownMark } from './owner.ts';

const MOUNT = '/sys/fs/cgroup';
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

/** Undefined where this user cannot make control groups for memory and processes. */
export function findCgroups(): CgroupPlaces | undefined {
  const own = ownPaths();
  const places = existsSync(join(MOUNT, 'cgroup.controllers')) ? unified(own.get('')) : separate(own);
  return places !== undefined && canMake(places) ? places : undefined;
}

/** From `/proc/self/cgroup`, by controller; the empty name is that of version 2. */
function ownPaths(): Map<string, string> {
  const lines = read('/proc/self/cgroup').split('\n');
  const fields = lines.map((line) => /^\d+:([^:]*):(.*)$/.exec(line)).filter((match) => match !== null);
  return new Map(fields.flatMap(([, names = '', path = '']) => names.split(',').map((name) => [name, path] as const)));
}

/** The nearest folder at or above our own that hands both controllers on to folders in it. */
function unified(path: string | undefined): CgroupPlaces | undefined {
  if (path === undefined || path.includes('..')) return undefined;
  for (let at = join(MOUNT, path); at.startsWith(MOUNT); at = dirname(at)) {
    const handed = read(join(at, 'cgroup.subtree_control')).trim().split(' ');
    if (handed.includes('memory') && handed.includes('pids')) return { version: 2, memory: at, pids: at };
  }
  return undefined;
}

function separate(own: ReadonlyMap<string, string>): CgroupPlaces | undefined {
  const [memory, pids] = [own.get('memory'), own.get('pids')];
  if (memory === undefined || pids === undefined) return undefined;
  return { version: 1, memory: join(MOUNT, 'memory', memory), pids: join(MOUNT, 'pids', pids) };
}

/** Only making one and entering it tells; entering needs the right to write to where we are now. */
function canMake(places: CgroupPlaces): boolean {
  try {
    for (const place of new Set([places.memory, places.pids])) accessSync(join(place, 'cgroup.procs'), constants.W_OK);
    const group = new Cgroup(places);
    group.limit({ memory: 2 ** 30, processes: 16 });
    group.remove();
    return true;
  } catch {
    return false;
  }
}

let made = 0;

/** A control group for one call. */
export class Cgroup {
  readonly #version: 1 | 2;
  readonly #memory: string;
  readonly #pids: string;

  constructor(places: CgroupPlaces) {
    const name = `${PREFIX}${ownMark()}-${++made}`;
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
    const memory = read(join(this.#memory, this.#version === 2 ? 'memory.events' : 'memory.oom_control'));
    return {
      memory: counted(memory, 'oom_kill') > 0,
      processes: counted(read(join(this.#pids, 'pids.events')), 'max') > 0,
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
      if (isRunning(mark) === false) tryRemove(join(place, name));
    }
}

function tryRemove(folder: string): boolean {
  try {
    rmdirSync(folder);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}

const counted = (text: string, word: string) => Number(new RegExp(`^${word} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
