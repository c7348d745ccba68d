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
import { rebuildCommand, startCommand, type ToolSetup } from './setup.ts';
import { insideText, shimText } from './shim-text.ts';
import { policyOf, type ToolPolicy } from './tool-policy.ts';

interface BuiltShim {
  readonly content: Buffer;
  /** What its user should know. */
  readonly notes: readonly string[];
}

/** The text of the shim of a tool that runs in a container. */
export function buildInsideShim(setup: ToolSetup, launcher: string, tool: ToolPolicy, file: BigIntStats): BuiltShim {
  const config = { path: setup.config, file };
  const [start, rebuild] = [startCommand(setup, tool.name), rebuildCommand(setup, tool.name)];
  return { content: Buffer.from(insideText({ tool, launcher, config, start, rebuild }), 'latin1'), notes: [] };
}

/** The text of a tool's shim, byte for byte. */
export function buildShim(
  setup: ToolSetup,
  launcher: string,
  tool: ToolPolicy,
  command: Bytes,
  file: BigIntStats,
): BuiltShim {
  const policy = withProxyVariables(policyOf(tool, setup.homes));
  const { places, notes, settings } = shimPlaces(policy, setup);
  const text = shimText({
    tool,
    policy,
    command,
    launcher,
    machine: setup.machine,
    places: [...places, ...outsideOperations({ ...setup, policy, subject: tool.name, lasting: true })],
    config: { path: setup.config, file },
    settings,
    state: setup.state,
    env: setup.env,
    rebuild: rebuildCommand(setup, tool.name),
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
function shimPlaces(whole: Policy, { env, homes, machine, ...setup }: ToolSetup): ShimPlaces {
  const folders = { config: dirname(setup.config), bin: setup.bin, state: setup.state };
  const policy = whole.filesystem;
  const { places: own, aside, layers } = ownOf({ homes, folders, policyFiles: [setup.config], how: 'keep' });
  const changes = changesPlace(folders, layers, whole, readKeeping(setup.config, homes.home));
  const facts = { ...factsOf(env), homes: pathsOfHomes(homes) };
  const files = settingsCopies(facts, policy.preset);
  const missing = [...policy.read, ...policy.write, ...policy.hide].filter((path) => !existsSync(path));
  return {
    places: placesOf(policy, { ...facts, own, aside, changes, links: machine.links, use: { as: 'shim', files } }),
    notes: [...missing.map((path) => `${path} is not there`), ...files.notes],
    settings: files.looked,
  };
}

const pathsOfHomes = ({ home, passwdHome }: ToolSetup['homes']) =>
  [...new Set(pathsOf([home ?? '', passwdHome ?? '']))].filter((path) => path !== '/');
