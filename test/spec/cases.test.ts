import { describe, expect, it } from 'vitest';
import { filterSandboxEnv, SandboxSpecBuilder, SandboxSpecForbidden } from '../../src/spec/index.ts';
import { casesFor, type VectorCase } from '../vectors/cases.ts';

const build = ({ policy, host }: VectorCase) =>
  new SandboxSpecBuilder(policy).inheritFrom(host).command(['true']).build();

it('there are cases', () => expect(casesFor('sandbox-spec').length).toBeGreaterThan(5));

describe('filtered', () => {
  it.each(casesFor('sandbox-spec'))('$id', ({ host, policy, expect: { env } }) => {
    expect({ ...filterSandboxEnv(host, policy) }).toEqual(env);
  });
});

describe('refused', () => {
  it.each(casesFor('sandbox-spec-build'))('$id', (one) => {
    expect(() => build(one)).toThrow(SandboxSpecForbidden);
    expect(() => build(one)).toThrow(
      expect.objectContaining({ name: 'SandboxSpecForbidden', names: one.expect.names }),
    );
  });
});
