import { dirname, join } from 'node:path';
import type { Folders } from '../../host/folders.ts';
import { distinct } from './facts.ts';
import type { Operation } from './operation.ts';
import { below, literally, type Path, type PathPattern, pathsOf, patternBelow } from './path.ts';

/** Cordon's own files: what nobody sees, what nobody changes, and what of the latter stands in a home. */
export interface OwnPlaces {
  readonly out: readonly PathPattern[];
  readonly read: readonly Path[];
  readonly shown: readonly Path[];
}

/** In the configuration folder; what else may lie there later that is secret gets one of these names. */
export const OWN_SECRETS = ['secrets.yaml', 'secrets.yml', 'users', 'vault*', 'identity*', 'keys'];
/** Beside the shims: the program that runs them. */
export const LAUNCHER_FOLDER = 'launcher';
export const OWN_POLICIES = ['cordon.toml', 'profiles'];

export interface OwnInput {
  /** Of every home Cordon ever used. */
  readonly homes: readonly Folders[];
  /** The package this code runs from. */
  readonly program: readonly string[];
  /** The files that the policy of this launch came from, wherever they lie, and what links among Cordon's policies lead to. */
  readonly policyFiles: readonly string[];
  /** What links among Cordon's secrets lead to. */
  readonly secretFiles: readonly string[];
  /** The folder in which layers are kept. */
  readonly layers: string | undefined;
}

export function ownPlaces({ homes, program, policyFiles, secretFiles, layers }: OwnInput): OwnPlaces {
  const configs = pathsOf(homes.flatMap(({ config }) => config ?? []));
  const policies = configs.flatMap((config) => OWN_POLICIES.map((name) => below(config, name)));
  const bins = pathsOf(
    homes.flatMap(({ bin }) => (bin === undefined ? [] : [bin, join(dirname(bin), LAUNCHER_FOLDER)])),
  );
  const programs = pathsOf(program);
  return {
    out: distinct([
      ...configs.flatMap((config) => OWN_SECRETS.map((name) => patternBelow(config, name))),
      ...pathsOf([...secretFiles, ...homes.flatMap(({ state }) => state ?? []), layers ?? '']).map(literally),
    ]),
    read: distinct([...programs, ...bins, ...configs, ...policies, ...pathsOf(policyFiles)]),
    shown: distinct([...programs, ...bins, ...policies]),
  };
}

/** In every preset, after everything that a policy says. The configuration is read-only as a whole, so that nothing can be added to it. */
export function keepOperations({ out, read }: OwnPlaces): Operation[] {
  return [
    { kind: 'keep-read', paths: read, why: "Cordon's programs and policies" },
    { kind: 'keep-out', paths: out, why: "Cordon's vault, secrets and records" },
  ];
}
