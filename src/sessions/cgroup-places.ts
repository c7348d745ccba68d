import { accessSync, constants, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { textIn } from '../host/files.ts';
import { Cgroup, type CgroupPlaces, groupName, tryRemove } from './cgroups.ts';

const MOUNT = '/sys/fs/cgroup';

/** Undefined where this user cannot make control groups for memory and processes. */
export function findCgroups(): CgroupPlaces | undefined {
  const own = ownPaths();
  const isUnified = existsSync(join(MOUNT, 'cgroup.controllers'));
  const places = isUnified ? unified(own.get('')) : separate(own);
  if (places !== undefined && canMake(places)) return places;
  return isUnified ? makeRoom(own.get('')) : undefined;
}

/** From `/proc/self/cgroup`, by controller; the empty name is that of version 2. */
function ownPaths(): Map<string, string> {
  const lines = textIn('/proc/self/cgroup').split('\n');
  const fields = lines.map((line) => /^\d+:([^:]*):(.*)$/.exec(line)).filter((match) => match !== null);
  return new Map(fields.flatMap(([, names = '', path = '']) => names.split(',').map((name) => [name, path] as const)));
}

/** The nearest folder at or above our own that hands both controllers on to folders in it. */
function unified(path: string | undefined): CgroupPlaces | undefined {
  if (path === undefined || path.includes('..')) return undefined;
  for (let at = join(MOUNT, path); at.startsWith(MOUNT); at = dirname(at)) {
    const handed = textIn(join(at, 'cgroup.subtree_control')).trim().split(' ');
    if (handed.includes('memory') && handed.includes('pids')) return bothAt(at);
  }
  return undefined;
}

const bothAt = (folder: string): CgroupPlaces => ({ version: 2, memory: folder, pids: folder });

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

/**
 * A group that has processes hands nothing on. A service or a container is alone in the group that was handed over to it, so it
 * moves one down and makes its groups beside itself. Nobody else's process is ever moved.
 */
function makeRoom(path: string | undefined): CgroupPlaces | undefined {
  if (path === undefined || path.includes('..')) return undefined;
  const above = join(MOUNT, path);
  const ours = ownProcesses();
  if (!processesIn(above).every((pid) => ours.includes(pid))) return undefined;
  const below = join(above, groupName(0));
  try {
    mkdirSync(below);
    moveTo(below, processesIn(above));
    writeFileSync(join(above, 'cgroup.subtree_control'), '+memory +pids');
    if (canMake(bothAt(above))) return bothAt(above);
  } catch {
    // It was not handed over to us.
  }
  moveBack(above, below);
  return undefined;
}

/** This process, and the program that started it for this and waits for its end. */
function ownProcesses(): string[] {
  const isOurs = textIn(`/proc/${process.ppid}/comm`) === 'cordon\n';
  return [process.pid, ...(isOurs ? [process.ppid] : [])].map(String);
}

const processesIn = (group: string) => textIn(join(group, 'cgroup.procs')).split('\n').filter(Boolean);

function moveTo(group: string, pids: readonly string[]): void {
  for (const pid of pids) writeFileSync(join(group, 'cgroup.procs'), pid);
}

function moveBack(above: string, below: string): void {
  try {
    moveTo(above, processesIn(below));
  } catch {
    // Where it could not enter there is nothing to leave.
  }
  tryRemove(below);
}
