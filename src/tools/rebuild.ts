import { CordonError } from '../host/errors.ts';
import { readBinEntry } from './bin-entry.ts';
import { buildShim } from './build-shim.ts';
import { readConfig } from './config/read.ts';
import { passThroughText } from './shim-text.ts';
import { Staging } from './staging.ts';
import { hasPolicy, withoutPolicy } from './tool-policy.ts';
import { placeLauncher, rebuildCommand, type Workshop } from './workshop.ts';

/**
 * Writes one shim anew, on the launcher's request. It needs no lock: of two that write, each writes what it read, and a shim from an
 * older policy file is found out at its next start.
 */
export function rebuildShim(shop: Workshop, name: string): void {
  const entry = readBinEntry(shop.bin, name);
  if (entry.kind !== 'shim') return;
  const config = readConfig(shop.config);
  if (config.file === undefined) throw policyGone(shop.config, name);
  if ('problem' in shop.launcher)
    throw new CordonError('launcher', shop.launcher.problem, { hint: shop.launcher.hint });
  const problem = config.broken.get(name);
  if (problem !== undefined) throw problem;
  const tool = config.tools.get(name);
  const direct = {
    tool: withoutPolicy(name),
    command: entry.path,
    config: { path: shop.config, file: config.file },
    rebuild: rebuildCommand(shop, name),
  };
  const launcher = placeLauncher(shop, shop.launcher.path);
  const content =
    tool !== undefined && hasPolicy(tool)
      ? buildShim(shop, launcher, tool, entry.path, config.file).content
      : Buffer.from(passThroughText({ ...direct, launcher }), 'latin1');
  write(`${shop.bin}/${name}`, content);
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
