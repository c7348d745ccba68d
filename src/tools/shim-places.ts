import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { changesPlace } from '../launch/changes.ts';
import { ownOf } from '../launch/own.ts';
import { factsOf, type Operation, pathsOf, placesOf } from '../plan/places/index.ts';
import { readKeeping } from '../policy/config/changes.ts';
import type { Policy } from '../policy/policy.ts';
import type { Workshop } from './workshop.ts';

export interface ShimPlaces {
  readonly places: readonly Operation[];
  readonly notes: readonly string[];
}

/** The very operations of a run, save that the workspace is where the shim is started, and that there are no copies of files. */
export function shimPlaces(whole: Policy, { env, homes, machine, ...shop }: Workshop): ShimPlaces {
  const folders = { config: dirname(shop.config), bin: shop.bin, state: shop.state };
  const policy = whole.filesystem;
  const { places: own, aside, layers } = ownOf({ homes, folders, policyFiles: [shop.config], how: 'keep' });
  const changes = changesPlace(folders, layers, whole, readKeeping(shop.config, homes.home));
  const facts = { ...factsOf(env), homes: pathsOfHomes(homes) };
  return {
    places: placesOf(policy, { ...facts, own, aside, changes, links: machine.links, use: { as: 'shim' } }),
    notes: [...policy.read, ...policy.write, ...policy.hide]
      .filter((path) => !existsSync(path))
      .map((path) => `${path} is not there`),
  };
}

const pathsOfHomes = ({ home, passwdHome }: Workshop['homes']) =>
  [...new Set(pathsOf([home ?? '', passwdHome ?? '']))].filter((path) => path !== '/');
