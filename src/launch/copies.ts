import { closeSync, fstatSync, readFileSync, realpathSync } from 'node:fs';
import { bytesOfBuffer } from '../host/bytes.ts';
import { openToRead } from '../host/open-file.ts';
import {
  type Copies,
  gitconfigPlaces,
  gitconfigWithoutSecrets,
  gitIdentityOf,
  NO_COPIES,
  npmrcPlaces,
  npmrcWithoutTokens,
  type Path,
  type PlaceFacts,
  pathsOf,
} from '../plan/places/index.ts';
import { examineStartup, type StartupNote, type StartupPolicy } from '../plan/startup/index.ts';
import type { FsPreset } from '../policy/policy.ts';

const LARGEST = 1 << 20;

export interface StartupCopies {
  readonly files: Copies;
  readonly notes: readonly StartupNote[];
  /** The start-up files that were read. */
  readonly read: readonly string[];
}

/** Shells inside read the very files where people export their keys: what the policy drops does not come back through them. */
export function startupCopies(facts: PlaceFacts, workspace: string, policy: StartupPolicy | undefined): StartupCopies {
  if (policy === undefined) return { files: NO_COPIES, notes: [], read: [] };
  const { files, read } = examineStartup(
    {
      homes: [...new Set(facts.homes.map(realOf))],
      zdotdir: facts.zdotdir === undefined ? undefined : realOf(facts.zdotdir),
      config: facts.moved.get('.config'),
      named: facts.shellFiles,
      workspace: realOf(workspace),
    },
    policy,
  );
  const copies = files.flatMap(({ path, text }) => pathsOf([path]).map((at) => ({ path: at, text })));
  return { files: { copies, absent: [] }, notes: files.flatMap(({ notes }) => notes), read };
}

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** Settings that hold log-ins among lines that programs need, with those left out. */
export function settingsCopies(facts: PlaceFacts, preset: FsPreset): Copies['copies'] {
  if (preset === 'workspace') return gitconfigPlaces(facts).flatMap((path) => copyOf(path, gitIdentityOf));
  return [
    ...npmrcPlaces(facts).flatMap((path) => copyOf(path, npmrcWithoutTokens)),
    ...gitconfigPlaces(facts).flatMap((path) => copyOf(path, gitconfigWithoutSecrets)),
  ];
}

function copyOf(path: Path, clean: (text: string) => string): Copies['copies'] {
  const text = textAt(path);
  if (text === undefined) return [];
  return [{ path, text: clean(text) as typeof text }];
}

function textAt(path: string): ReturnType<typeof bytesOfBuffer> | undefined {
  try {
    const descriptor = openToRead(path, 'followed');
    try {
      const stats = fstatSync(descriptor);
      return stats.isFile() && stats.size <= LARGEST ? bytesOfBuffer(readFileSync(descriptor)) : undefined;
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return undefined;
  }
}
