import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { NetworkLayer } from '../../../src/policy/profile/layer.ts';
import { mergeNetworks, networkOf } from '../../../src/policy/profile/read-network.ts';

const hosts = fc
  .uniqueArray(fc.constantFrom('a.test', 'b.test', 'c.test:22'))
  .map((names) => names.map((text) => ({ kind: 'name' as const, name: text, text, origin: 'o' })));
const layer: fc.Arbitrary<NetworkLayer> = fc.record({
  block: fc.option(
    fc.boolean().map((value) => ({ value, origin: 'o' })),
    { nil: undefined },
  ),
  allow: fc.option(
    hosts.map((rules) => ({ origin: 'o', rules })),
    { nil: undefined },
  ),
  deny: hosts,
});

it('profiles about the network add up the same from any side', () => {
  fc.assert(
    fc.property(layer, layer, layer, (a, b, c) => {
      expect(mergeNetworks(mergeNetworks(a, b), c)).toEqual(mergeNetworks(a, mergeNetworks(b, c)));
    }),
  );
});

it('what is cut off stays so until a later profile says otherwise, whatever is listed', () => {
  fc.assert(
    fc.property(layer, layer, (under, over) => {
      const off = { ...under, block: { value: true, origin: 'o' } };
      const { mode } = networkOf(mergeNetworks(off, over));
      expect(mode === 'off').toBe(over.block?.value !== false);
    }),
  );
});
