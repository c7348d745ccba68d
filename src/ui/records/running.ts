import { readlinkSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { namesIn, textIn } from '../../host/files.ts';
import type { RunningLaunch } from '../api.ts';
import { shortText } from './shape.ts';

/** The launcher stands outside of every sandbox for as long as its command runs, so the processes of this user tell what is running. */
export function readRunning(): RunningLaunch[] {
  const own = process.getuid?.();
  const pids = namesIn('/proc').filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => {
    const started = statSync(`/proc/${pid}`, { throwIfNoEntry: false });
    return started !== undefined && started.uid === own && isLauncher(pid) ? runningUnder(pid, started.ctimeMs) : [];
  });
}

const LAUNCHERS = ['cordon', 'cordon-launch'];
const INNER = 'cordon-inner';

/** The launcher of an ordinary user lets nobody look at its program; its name is left then. */
function isLauncher(pid: string): boolean {
  const program = linkTarget(`/proc/${pid}/exe`);
  return LAUNCHERS.includes(program === undefined ? nameOf(pid) : basename(program)) && nameOf(pid) !== INNER;
}

/** By its name only: arguments may hold what somebody typed as a secret. */
function runningUnder(pid: string, startedMs: number): RunningLaunch[] {
  const command = commandBelow(pid);
  if (command === undefined) return [];
  const folder = linkTarget(`/proc/${pid}/cwd`) ?? linkTarget(`/proc/${command}/cwd`);
  return [
    {
      pid: Number(pid),
      program: shortText(nameOf(command)),
      folder: folder === undefined ? null : shortText(folder),
      startedMs: Math.round(startedMs),
    },
  ];
}

const DEEPEST = 4;

/** The first process below that is no longer Cordon's own. */
function commandBelow(pid: string, depth = 0): string | undefined {
  const children = textIn(`/proc/${pid}/task/${pid}/children`).trim();
  const first = children.split(' ')[0];
  if (first === undefined || first === '' || depth >= DEEPEST || isOwnPart(first)) return undefined;
  const name = nameOf(first);
  const isOurs = name === INNER || name === 'bwrap' || isLauncher(first);
  return isOurs ? commandBelow(first, depth + 1) : first;
}

/** As native/src/main_front.c starts it: `node -- SCRIPT`. */
const NODE_AND_DASHES = 2;

/** The front also waits for the commands that run in Node, this one among them. */
function isOwnPart(pid: string): boolean {
  const script = textIn(`/proc/${pid}/cmdline`).split('\0')[NODE_AND_DASHES] ?? '';
  return linkTarget(`/proc/${pid}/exe`) === process.execPath && /^(?:start\.cjs|cli\.js)$/.test(basename(script));
}

const nameOf = (pid: string) => textIn(`/proc/${pid}/comm`).trimEnd();

function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
