import type { BigIntStats } from 'node:fs';
import { bytesOfText } from '../host/bytes.ts';
import { CordonError } from '../host/errors.ts';
import { type BinEntry, readBinEntry } from './bin-entry.ts';
import { buildInsideShim, buildShim } from './build-shim.ts';
import { readConfig } from './config/read.ts';
import { placeLauncher, rebuildCommand, type ToolSetup } from './setup.ts';
import { passThroughText } from './shim-text.ts';
import { Staging } from './staging.ts';
import { findTarget } from './target.ts';
import { hasPolicy, type ToolPolicy, withoutPolicy } from './tool-policy.ts';

/**
 * Writes one shim anew, on the launcher's request. It needs no lock: of two that write, each writes what it read, and a shim from an
 * older policy file is found out at its next start.
 */
export function rebuildShim(setup: ToolSetup, name: string): void {
  const content = shimOf(setup, name);
  if (content !== undefined) write(`${setup.bin}/${name}`, content);
}

/** What the shim would be, with the variables of now. */
export function shimOf(setup: ToolSetup, name: string): Buffer | undefined {
  const entry = readBinEntry(setup.bin, name);
  if (entry.kind !== 'shim' && entry.kind !== 'inside') return undefined;
  const config = readConfig(setup.config);
  if (config.file === undefined) throw policyGone(setup.config, name);
  if ('problem' in setup.launcher)
    throw new CordonError('launcher', setup.launcher.problem, { hint: setup.launcher.hint });
  const problem = config.broken.get(name);
  if (problem !== undefined) throw problem;
  const tool = config.tools.get(name) ?? withoutPolicy(name);
  return contentOf(setup, placeLauncher(setup, setup.launcher.path), { tool, entry, file: config.file });
}

interface Rebuilt {
  readonly tool: ToolPolicy;
  readonly entry: BinEntry;
  readonly file: BigIntStats;
}

/** A tool that was in a container was pinned nowhere: it is looked for like one that is new. */
function contentOf(setup: ToolSetup, launcher: string, { tool, entry, file }: Rebuilt): Buffer {
  if (tool.in !== undefined) return buildInsideShim(setup, launcher, tool, file).content;
  const { name } = tool;
  const command = entry.kind === 'shim' ? entry.path : findTarget(bytesOfText(name), setup.env, setup.bin).path;
  if (hasPolicy(tool)) return buildShim(setup, launcher, tool, command, file).content;
  const config = { path: setup.config, file };
  const text = passThroughText({ tool, command, config, rebuild: rebuildCommand(setup, name), launcher });
  return Buffer.from(text, 'latin1');
}

function write(path: string, content: Buffer): void {
  const staging = new Staging();
  try {
    staging.file(path, content, 0o755);
    staging.commit();
  } finally {
    staging.abandon();
  }
}

/** A policy file that is gone is no permission to run without a policy. */
function policyGone(path: string, name: string): CordonError {
  return new CordonError('policy', 'the policy file is gone, and with it what it said', {
    where: path,
    hint: `put it back, or let go of the tool: cordon tool remove ${name}`,
  });
}
