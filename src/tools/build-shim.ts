import type { BigIntStats } from 'node:fs';
import type { Bytes } from '../host/bytes.ts';
import { outsideOperations } from '../launch/outside.ts';
import { withProxyVariables } from '../policy/network/variables.ts';
import { shimPlaces } from './shim-places.ts';
import { shimText } from './shim-text.ts';
import { policyOf, type ToolPolicy } from './tool-policy.ts';
import { rebuildCommand, type Workshop } from './workshop.ts';

/** The text of a tool's shim, byte for byte, and what its user should know. */
export function buildShim(
  shop: Workshop,
  launcher: string,
  tool: ToolPolicy,
  command: Bytes,
  file: BigIntStats,
): { content: Buffer; notes: readonly string[] } {
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
