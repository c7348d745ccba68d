import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { decide } from '../../src/decide/decide.ts';
import { bytesOfText } from '../../src/host/bytes.ts';
import { ParentEnv } from '../../src/host/parent-env.ts';
import { plan } from '../../src/plan/plan.ts';
import { DEFAULT_POLICY, type Policy } from '../../src/policy/policy.ts';
import { isSealed, type SealedEnv, seal, sealedEntries } from '../../src/seal/seal.ts';
import { Secret } from '../../src/secrets/secret.ts';

const policy: Policy = { ...DEFAULT_POLICY, base: { preset: 'all', origin: 'test' } };
const sealOf = (record: Record<string, string>, more: Partial<Policy> = {}, credentials?: Map<never, Secret>) => {
  const env = ParentEnv.fromRecord(record);
  const used = { ...policy, ...more };
  return seal(decide(used, env), { policy: used, env, ...(credentials === undefined ? {} : { credentials }) });
};

describe('seal', () => {
  it('makes a frozen object without a prototype, with only what was decided', () => {
    const sealed = sealOf({ A: '1', LD_PRELOAD: 'x' });
    expect(Object.getPrototypeOf(sealed)).toBeNull();
    expect(Object.isFrozen(sealed)).toBe(true);
    expect(sealedEntries(sealed).map(([name, value]) => [name, value.reveal()])).toEqual([['A', '1']]);
  });

  it('never shows a value', () => {
    const sealed = sealOf({ A: 'canary' });
    expect(inspect(sealed, { depth: 9, showHidden: true }) + JSON.stringify(sealed)).not.toContain('canary');
  });

  it('keeps a variable called __proto__ as a variable', () => {
    const sealed = sealOf(JSON.parse('{"__proto__": "x"}'));
    expect(sealedEntries(sealed).map(([name]) => name)).toEqual(['__proto__']);
  });

  it('refuses a credential without a value, and an empty one', () => {
    const credentials = [{ target: bytesOfText('KEY'), source: 'vault://KEY', origin: 'test' }];
    expect(() => sealOf({ KEY: 'inherited' }, { credentials })).toThrow(/no value for KEY/);
    expect(() =>
      sealOf({}, { credentials }, new Map([[bytesOfText('KEY') as never, new Secret(bytesOfText(''))]])),
    ).toThrow(/no value for KEY/);
  });

  it('refuses to seal what the guard forbids, naming it without its value', () => {
    expect(() => sealOf({ GH_TOKEN: 'canary' }, { guard: 'forbid' })).toThrow(/GH_TOKEN/);
    expect(() => sealOf({ GH_TOKEN: 'canary' }, { guard: 'forbid' })).not.toThrow(/canary/);
  });

  it('is the only way to what a plan takes', () => {
    const fake = Object.freeze(Object.assign(Object.create(null), { A: new Secret(bytesOfText('1')) })) as SealedEnv;
    expect(isSealed(fake)).toBe(false);
    expect(() => plan({ env: fake } as never)).toThrow(TypeError);
  });
});
