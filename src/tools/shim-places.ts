import { type BigIntStats, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { settingsCopies } from '../launch/copies.ts';
import { changesPlace, ownOf } from '../launch/own.ts';
import { factsOf, type Operation, pathsOf, placesOf } from '../plan/places/index.ts';
import { readKeeping } from '../policy/config/changes.ts';
import type { Policy } from '../policy/policy.ts';
import type { Workshop } from './workshop.ts';

export interface ShimPlaces {
  readonly places: readonly Operation[];
  readonly notes: readonly string[];
  /** The settings that copies were made of, or that were not there: when one of them changes, the shim is written anew. */
  readonly settings: ReadonlyMap<string, BigIntStats | undefined>;
}

/** The very operations of a run, save that the workspace is where the shim is started, and that start-up files of shells are not there. */
export function shimPlaces(whole: Policy, { env, homes, machine, ...shop }: Workshop): ShimPlaces {
  const folders = { config: dirname(shop.config), bin: shop.bin, state: shop.state };
  const policy = whole.filesystem;
  const { places: own, aside, layers } = ownOf({ homes, folders, policyFiles: [shop.config], how: 'keep' });
  const changes = changesPlace(folders, layers, whole, readKeeping(shop.config, homes.home));
  const facts = { ...factsOf(env), homes: pathsOfHomes(homes) };
  const files = settingsCopies(facts, policy.preset);
  const missing = [...policy.read, ...policy.write, ...policy.hide].filter((path) => !existsSync(path));
  return {
    places: placesOf(policy, { ...facts, own, aside, changes, links: machine.links, use: { as: 'shim', files } }),
    notes: [...missing.map((path) => `${path} is not there`), ...files.notes],
    settings: files.looked,
  };
}

const pathsOfHomes = ({ home, passwdHome }: Workshop['homes']) =>
  [...new Set(pathsOf([home ?? '', passwdHome ?? '']))].filter((path) => path !== '/');
