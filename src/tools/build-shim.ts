import { type BigIntStats, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Bytes } from '../host/bytes.ts';
import { settingsCopies } from '../launch/copies.ts';
import { outsideOperations } from '../launch/outside.ts';
import { changesPlace, ownOf } from '../launch/own.ts';
import { factsOf, type Operation, pathsOf, placesOf } from '../plan/places/index.ts';
import { readKeeping } from '../policy/config/changes.ts';
import { withProxyVariables } from '../policy/network/rules.ts';
import type { Policy } from '../policy/policy.ts';
import { insideText, shimText } from './shim-text.ts';
import { policyOf, type ToolPolicy } from './tool-policy.ts';
import { rebuildCommand, startCommand, type Workshop } from './workshop.ts';

interface BuiltShim {
  readonly content: Buffer;
  /** What its user should know. */
  readonly notes: readonly string[];
}

/** The text of the shim of a tool that runs in a container. */
export function buildInsideShim(shop: Workshop, launcher: string, tool: ToolPolicy, file: BigIntStats): BuiltShim {
  const config = { path: shop.config, file };
  const [start, rebuild] = [startCommand(shop, tool.name), rebuildCommand(shop, tool.name)];
  return { content: Buffer.from(insideText({ tool, launcher, config, start, rebuild }), 'latin1'), notes: [] };
}

/** The text of a tool's shim, byte for byte. */
export function buildShim(
  shop: Workshop,
  launcher: string,
  tool: ToolPolicy,
  command: Bytes,
  file: BigIntStats,
): BuiltShim {
  const policy = withProxyVariables(policyOf(tool, shop.homes));
  const { places, notes, settings } = shimPlaces(policy, shop);
  const text = shimText({
    tool,
    policy,
    command,
    launcher,
    machine: shop.machine,
    places: [...places, ...outsideOperations({ ...shop, policy, subject: tool.name, lasting: true })],
    config: { path: shop.config, file },
    settings,
    state: shop.state,
    rebuild: rebuildCommand(shop, tool.name),
  });
  return { content: Buffer.from(text, 'latin1'), notes };
}

interface ShimPlaces {
  readonly places: readonly Operation[];
  readonly notes: readonly string[];
  /** The settings that copies were made of, or that were not there: when one of them changes, the shim is written anew. */
  readonly settings: ReadonlyMap<string, BigIntStats | undefined>;
}

/** The very operations of a run, save that the workspace is where the shim is started, and that start-up files of shells are not there. */
function shimPlaces(whole: Policy, { env, homes, machine, ...shop }: Workshop): ShimPlaces {
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
