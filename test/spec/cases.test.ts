import { describe, expect, it } from 'vitest';
import {
  filterSandboxEnv,
  SandboxSpecBuilder,
  SandboxSpecForbidden,
  type SandboxSpecOptions,
} from '../../src/spec/index.ts';
import cases from './cases.json' with { type: 'json' };

interface Case {
  readonly id: string;
  readonly surface: string;
  readonly policy: SandboxSpecOptions;
  readonly host: Record<string, string>;
  readonly expect: { readonly env?: Record<string, string>; readonly names?: readonly string[] };
}

const ALL = cases as unknown as readonly Case[];
const build = ({ policy, host }: Case) => new SandboxSpecBuilder(policy).inheritFrom(host).command(['true']).build();

describe('filtered', () => {
  it.each(ALL.filter(({ surface }) => surface === 'sandbox-spec'))('$id', ({ host, policy, expect: { env } }) => {
    expect({ ...filterSandboxEnv(host, policy) }).toEqual(env);
  });
});

describe('refused', () => {
  it.each(ALL.filter(({ surface }) => surface === 'sandbox-spec-build'))('$id', (one) => {
    expect(() => build(one)).toThrow(SandboxSpecForbidden);
    expect(() => build(one)).toThrow(
      expect.objectContaining({ name: 'SandboxSpecForbidden', names: one.expect.names }),
    );
  });
});
