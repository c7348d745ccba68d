import type { BigIntStats } from 'node:fs';
import { bytesOfText } from '../host/bytes.ts';
import { CordonError } from '../host/errors.ts';
import { type BinEntry, readBinEntry } from './bin-entry.ts';
import { buildInsideShim, buildShim } from './build-shim.ts';
import { readConfig } from './config/read.ts';
import { passThroughText } from './shim-text.ts';
import { Staging } from './staging.ts';
import { findTarget } from './target.ts';
import { hasPolicy, type ToolPolicy, withoutPolicy } from './tool-policy.ts';
import { placeLauncher, rebuildCommand, type Workshop } from './workshop.ts';

/**
 * Writes one shim anew, on the launcher's request. It needs no lock: of two that write, each writes what it read, and a shim from an
 * older policy file is found out at its next start.
 */
export function rebuildShim(shop: Workshop, name: string): void {
  const entry = readBinEntry(shop.bin, name);
  if (entry.kind !== 'shim' && entry.kind !== 'inside') return;
  const config = readConfig(shop.config);
  if (config.file === undefined) throw policyGone(shop.config, name);
  if ('problem' in shop.launcher)
    throw new CordonError('launcher', shop.launcher.problem, { hint: shop.launcher.hint });
  const problem = config.broken.get(name);
  if (problem !== undefined) throw problem;
  const tool = config.tools.get(name) ?? withoutPolicy(name);
  const content = contentOf(shop, placeLauncher(shop, shop.launcher.path), { tool, entry, file: config.file });
  write(`${shop.bin}/${name}`, content);
}

interface Rebuilt {
  readonly tool: ToolPolicy;
  readonly entry: BinEntry;
  readonly file: BigIntStats;
}

/** A tool that was in a container was pinned nowhere: it is looked for like one that is new. */
function contentOf(shop: Workshop, launcher: string, { tool, entry, file }: Rebuilt): Buffer {
  if (tool.in !== undefined) return buildInsideShim(shop, launcher, tool, file).content;
  const { name } = tool;
  const command = entry.kind === 'shim' ? entry.path : findTarget(bytesOfText(name), shop.env, shop.bin).path;
  if (hasPolicy(tool)) return buildShim(shop, launcher, tool, command, file).content;
  const config = { path: shop.config, file };
  const text = passThroughText({ tool, command, config, rebuild: rebuildCommand(shop, name), launcher });
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
