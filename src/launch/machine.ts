import { accessSync, constants } from 'node:fs';
import { bytesOfText, textOfBytes } from '../host/bytes.ts';
import { findOwnProgram } from '../host/own-program.ts';
import type { ParentEnv } from '../host/parent-env.ts';
import { workingFolder } from '../host/working-folder.ts';
import type { Machine } from '../plan/plan.ts';

/** Bubblewrap from the system's own folder first: PATH is asked only where there is none. */
const USUAL_PLACES = ['/usr/bin/bwrap', '/bin/bwrap', '/usr/local/bin/bwrap'];

export function surveyMachine(env: ParentEnv): Machine {
  const arch = process.arch;
  return {
    bwrap: process.platform === 'linux' ? findBubblewrap(env) : undefined,
    uid: process.getuid?.() ?? -1,
    arch: arch === 'x64' || arch === 'arm64' ? arch : undefined,
  };
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
