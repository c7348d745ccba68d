import { lstatSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

const NAME = /^cordon-prove-([0-9a-z]+)-([0-9a-z]+)-([0-9a-z]+)-[A-Za-z0-9]{6}$/;

/** The beginning of the name of this run's folder: it says whose it is, so that the next run knows whether that one still lives. */
export function folderPrefix(): string {
  return ['cordon-prove', ...[process.pid, startOf(process.pid) ?? 0, pidSpace()].map((n) => n.toString(36)), ''].join(
    '-',
  );
}

/** Removes what runs left behind that were killed with no chance to tidy up. */
export function sweep(temporary: string): void {
  for (const name of namesIn(temporary)) {
    const [, pid = '', start = '', space = ''] = NAME.exec(name) ?? [];
    const folder = join(temporary, name);
    if (pid === '' || !isOurs(folder) || Number.parseInt(space, 36) !== pidSpace()) continue;
    if (startOf(Number.parseInt(pid, 36)) === Number.parseInt(start, 36)) continue;
    removeGround(folder);
  }
}

/** With whatever still works in it: a stand-in that nobody told to end. */
export function removeGround(folder: string): void {
  endProcessesIn(folder);
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 20 });
}

const MOST_MS = 5000;
const MOMENT_MS = 2;

/** Until none is left: one that was told to end takes a moment, and may have started another just before. */
function endProcessesIn(folder: string): void {
  const latest = performance.now() + MOST_MS;
  for (let left = processesIn(folder); left.length > 0 && performance.now() < latest; left = processesIn(folder)) {
    for (const pid of left) end(pid);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, MOMENT_MS);
  }
}

const processesIn = (folder: string) =>
  namesIn('/proc').filter(
    (pid) =>
      /^\d+$/.test(pid) && Number(pid) !== process.pid && `${linkOf(`/proc/${pid}/cwd`)}/`.startsWith(`${folder}/`),
  );

function end(pid: string): void {
  try {
    process.kill(Number(pid), 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}

/** A folder that someone else could have put there is left alone. */
function isOurs(folder: string): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  return found?.isDirectory() === true && found.uid === process.getuid?.() && (found.mode & 0o077) === 0;
}

/** When it was started, in ticks of this boot; undefined when there is no such process, or only its exit code waits to be fetched. */
function startOf(pid: number): number | undefined {
  try {
    const afterName = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1) as string;
    const [state, ...rest] = afterName.split(' ');
    return state === 'Z' || state === 'X' ? undefined : Number(rest[18]);
  } catch {
    return undefined;
  }
}

/** Containers may share a folder and still number their processes each for itself. Short: the paths of sockets must be. */
function pidSpace(): number {
  return (statSync('/proc/self/ns/pid', { throwIfNoEntry: false })?.ino ?? 0) % 2 ** 20;
}

/** Others may remove what is there at any time. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
