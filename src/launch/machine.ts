import { accessSync, constants, readlinkSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { bytesOfText, textOfBytes } from '../host/bytes.ts';
import { HERE, workingFolder } from '../host/folders.ts';
import { findOwnProgram } from '../host/own-program.ts';
import type { ParentEnv } from '../host/parent-env.ts';
import { POSSIBLE_LINKS, type SystemLinks } from '../plan/places/index.ts';
import type { Machine } from '../plan/plan.ts';

/** Bubblewrap from the system's own folder first: PATH is asked only where there is none. */
const USUAL_PLACES = ['/usr/bin/bwrap', '/bin/bwrap', '/usr/local/bin/bwrap'];

export function surveyMachine(env: ParentEnv): Machine {
  const arch = process.arch;
  return {
    bwrap: process.platform === 'linux' ? findBubblewrap(env) : undefined,
    uid: process.getuid?.() ?? -1,
    arch: arch === 'x64' || arch === 'arm64' ? arch : undefined,
    links: systemLinks(),
  };
}

/** Only those into /usr: what they lead to is there in a built root too. */
function systemLinks(): SystemLinks {
  return new Map(POSSIBLE_LINKS.flatMap((path) => linkText(path).map((text) => [path, text] as const)));
}

function linkText(path: string): string[] {
  try {
    const text = readlinkSync(path);
    return resolve(dirname(path), text).startsWith('/usr/') ? [text] : [];
  } catch {
    return [];
  }
}

function findBubblewrap(env: ParentEnv): string | undefined {
  const usual = USUAL_PLACES.find(isExecutable);
  if (usual !== undefined) return usual;
  try {
    return textOfBytes(findOwnProgram(bytesOfText('bwrap'), env, [workingFolder()]));
  } catch {
    return undefined;
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The launcher beside the bundle, or the one that came with the package for this kind of machine, where npm ran no install script. */
export function nativeLauncher(): string | undefined {
  const places = ['native', `prebuilt/${process.platform}-${process.arch}`];
  return places.map((place) => join(HERE, place, 'cordon-launch')).find(isExecutable);
}
