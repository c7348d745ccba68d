import { statSync } from 'node:fs';
import type { Terminal } from '../broker/settings.ts';
import { statOf } from '../host/session.ts';

/** The terminal that this process was started from, wherever its output goes; undefined where there is none. */
export function terminalOfLaunch(): Terminal | undefined {
  try {
    const number = Number(statOf('self')[4] ?? 0);
    const path = number === 0 ? undefined : pathOf((number >> 8) & 0xfff, (number & 0xff) | ((number >> 12) & 0xfff00));
    if (path === undefined) return undefined;
    const { rdev } = statSync(path);
    return { path, device: rdev };
  } catch {
    return undefined;
  }
}

const PSEUDO_TERMINALS = 136;
const CONSOLES = 4;
const FIRST_SERIAL = 64;

function pathOf(major: number, minor: number): string | undefined {
  if (major === PSEUDO_TERMINALS) return `/dev/pts/${minor}`;
  if (major !== CONSOLES) return undefined;
  return minor < FIRST_SERIAL ? `/dev/tty${minor}` : `/dev/ttyS${minor - FIRST_SERIAL}`;
}
