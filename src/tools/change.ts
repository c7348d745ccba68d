import { type BigIntStats, lstatSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Bytes, showBytes } from '../host/bytes.ts';
import { CordonError } from '../host/errors.ts';
import { ensureFolder } from '../host/files.ts';
import { withLock } from '../host/lock.ts';
import { shellWord } from '../host/shell-word.ts';
import { whyItFailed } from '../host/system-error.ts';
import { targetText } from '../policy/container-target.ts';
import { readBinEntry } from './bin-entry.ts';
import { buildInsideShim, buildShim } from './build-shim.ts';
import { type Config, parseConfig, readConfig } from './config/read.ts';
import { placeLauncher, type ToolSetup } from './setup.ts';
import { Staging } from './staging.ts';
import { hasPolicy, type ToolPolicy } from './tool-policy.ts';

/** What a change wants: the new text of cordon.toml, and where the real tools are that it knows about; one in a container is nowhere. */
export interface ToolChange {
  readonly text: string;
  readonly pins: ReadonlyMap<string, Bytes | undefined>;
  /** Entries of the bin folder that are to go. */
  readonly remove: readonly string[];
}

export type ToolStep = {
  readonly tool: string;
  readonly what: 'linked' | 'shim written' | 'removed';
  readonly path: string;
};

export interface ConfigOutcome {
  readonly config: Config;
  readonly configChanged: boolean;
  readonly steps: readonly ToolStep[];
  readonly notes: readonly string[];
}

/**
 * One change at a time, whole or not at all: read, work out, check, write everything beside its place, then put it there. Every shim is
 * looked at, because each carries the mark of the policy file it came from.
 */
export function changeTools(setup: ToolSetup, change: (config: Config) => ToolChange): ConfigOutcome {
  makeFolders(setup);
  return withLock(join(dirname(setup.config), '.cordon.toml.lock'), () => {
    const before = readConfig(setup.config);
    refuseForeign(setup.config, before.file);
    const wanted = change(before);
    const next = parseConfig(before.name, wanted.text);
    refuseNewMistakes(before, wanted, next);
    return carryOut(setup, before, wanted, next);
  });
}

/** A mistake that was there about another tool is that tool's business. */
function refuseNewMistakes(before: Config, { pins }: ToolChange, next: Config): void {
  for (const [name, problem] of next.broken) if (!before.broken.has(name) || pins.has(name)) throw problem;
}

function carryOut(setup: ToolSetup, before: Config, wanted: ToolChange, next: Config): ConfigOutcome {
  const staging = new Staging();
  try {
    const configChanged = wanted.text !== before.text;
    const file = configChanged ? stageConfig(staging, setup.config, wanted.text, before.file) : before.file;
    const work = [...next.tools.values()].map((tool) =>
      stageTool(staging, setup, tool, pinOf(setup, wanted, tool.name), file),
    );
    const removed = wanted.remove.flatMap((name) => stageRemoval(staging, setup, name));
    staging.commit();
    return {
      config: { ...next, file },
      configChanged,
      steps: [...work.flatMap(({ steps }) => steps), ...removed],
      notes: work.flatMap(({ notes }) => notes),
    };
  } finally {
    staging.abandon();
  }
}

function pinOf({ bin }: ToolSetup, { pins }: ToolChange, name: string): Bytes | undefined {
  const entry = readBinEntry(bin, name);
  return pins.get(name) ?? (entry.kind === 'link' || entry.kind === 'shim' ? entry.path : undefined);
}

const NOTHING = { steps: [] as readonly ToolStep[], notes: [] as readonly string[] };

/** A tool of the file that is not installed here gets nothing. */
function stageTool(
  staging: Staging,
  setup: ToolSetup,
  tool: ToolPolicy,
  command: Bytes | undefined,
  file: BigIntStats | undefined,
): typeof NOTHING {
  const path = join(setup.bin, tool.name);
  const entry = readBinEntry(setup.bin, tool.name);
  if (file === undefined || (command === undefined && tool.in === undefined)) return NOTHING;
  if (entry.kind === 'foreign') throw foreignEntry(path);
  if (command === undefined || tool.in !== undefined) return stageInside(staging, setup, tool, file);
  if (!hasPolicy(tool) || 'problem' in setup.launcher) {
    if (entry.kind === 'link' && entry.path === command) return NOTHING;
    staging.link(path, command);
    return { steps: [{ tool: tool.name, what: 'linked', path: showBytes(command) }], notes: [] };
  }
  const { content, notes } = buildShim(setup, placeLauncher(setup, setup.launcher.path), tool, command, file);
  if (entry.kind === 'shim' && entry.text === content.toString('latin1')) return { steps: [], notes };
  staging.file(path, content, 0o755);
  return { steps: [{ tool: tool.name, what: 'shim written', path: showBytes(command) }], notes };
}

/** Where no shim can be written there is nothing: its program on this machine is not the one that was meant. */
function stageInside(staging: Staging, setup: ToolSetup, tool: ToolPolicy, file: BigIntStats): typeof NOTHING {
  if ('problem' in setup.launcher || tool.in === undefined) return NOTHING;
  const entry = readBinEntry(setup.bin, tool.name);
  const { content, notes } = buildInsideShim(setup, placeLauncher(setup, setup.launcher.path), tool, file);
  if (entry.kind === 'inside' && entry.text === content.toString('latin1')) return { steps: [], notes };
  staging.file(join(setup.bin, tool.name), content, 0o755);
  return { steps: [{ tool: tool.name, what: 'shim written', path: targetText(tool.in) }], notes };
}

function stageRemoval(staging: Staging, { bin }: ToolSetup, name: string): ToolStep[] {
  const { kind } = readBinEntry(bin, name);
  if (kind === 'absent' || kind === 'foreign') return [];
  staging.removal(join(bin, name));
  return [{ tool: name, what: 'removed', path: join(bin, name) }];
}

/** A link is followed: whoever keeps the file elsewhere and links to it wants to go on doing so. A blank file goes. */
function stageConfig(
  staging: Staging,
  path: string,
  text: string,
  before: BigIntStats | undefined,
): BigIntStats | undefined {
  if (before === undefined) staging.reserve(path);
  else if (text.trim() === '' && !lstatSync(path).isSymbolicLink()) {
    staging.removal(path);
    return undefined;
  }
  const real = realpathSync(path);
  return staging.file(real, Buffer.from(text), before === undefined ? 0o644 : Number(before.mode) & 0o7777);
}

function refuseForeign(path: string, file: BigIntStats | undefined): void {
  const user = process.geteuid?.();
  if (file === undefined || user === undefined || file.uid === BigInt(user)) return;
  throw new CordonError('policy', `this file belongs to user id ${file.uid}, so only they can change it`, {
    where: path,
    hint: `look at it, then: chown ${user} ${shellWord(path)}`,
  });
}

/** The shims hide the state folder and freeze the bin folder, so both must be there. */
function makeFolders({ config, bin, state }: ToolSetup): void {
  for (const [folder, mode] of [
    [dirname(config), 0o700],
    [bin, 0o755],
    [state, 0o700],
  ] as const) {
    try {
      ensureFolder(folder, mode);
    } catch (cause) {
      throw new CordonError('write', `the folder cannot be made: ${whyItFailed(cause)}; nothing was changed`, {
        where: folder,
        hint: 'check what stands there, and who may write',
        cause,
      });
    }
  }
}

function foreignEntry(path: string): CordonError {
  const what = lstatSync(path).isDirectory() ? 'a folder' : 'a file that Cordon did not write';
  return new CordonError('write', `there is ${what} where the shim would go; nothing was changed`, {
    where: path,
    hint: 'move it away, then try again',
  });
}
