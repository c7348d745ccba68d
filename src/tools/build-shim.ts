import type { BigIntStats } from 'node:fs';
import type { Bytes } from '../host/bytes.ts';
import { outsideOperations } from '../launch/outside.ts';
import { withProxyVariables } from '../policy/network/rules.ts';
import { shimPlaces } from './shim-places.ts';
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
