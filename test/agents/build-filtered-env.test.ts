import { describe, expect, it } from 'vitest';
import { buildFilteredEnv } from '../../src/agents/build-filtered-env.ts';
import { casesFor } from '../vectors/cases.ts';

describe('buildFilteredEnv', () => {
  it.each(casesFor('filter-env'))('$id', ({ policy, host, expect: { env } }) => {
    expect(buildFilteredEnv({ extraKeys: policy.extraKeys, env: host })).toStrictEqual(env);
  });

  it('gives a fresh object every time and leaves its input alone', () => {
    const host = Object.freeze({ PATH: '/bin', SECRET: 's' });
    expect(buildFilteredEnv({ env: host })).not.toBe(buildFilteredEnv({ env: host }));
  });

  it('takes own properties only, and a name like __proto__ for what it is', () => {
    const host = Object.create({ PATH: '/evil' }) as Record<string, string>;
    expect(buildFilteredEnv({ env: host })).toStrictEqual({});
    expect(Object.keys(buildFilteredEnv({ extraKeys: ['__proto__'], env: JSON.parse('{"__proto__":"x"}') }))).toEqual([
      '__proto__',
    ]);
  });

  it('passes no name of the code-injection list as an extra key', () => {
    expect(
      buildFilteredEnv({
        extraKeys: ['LD_PRELOAD', 'NODE_OPTIONS'],
        env: { LD_PRELOAD: 'x', NODE_OPTIONS: 'y', NODE_PATH: 'z' },
      }),
    ).toStrictEqual({ NODE_PATH: 'z' });
  });

  it("leaves out what decide leaves out: Cordon's own variables, and values that steer what a program reads", () => {
    const host = { LANG: '../x', LC_ALL: 'C', TERM: '/x', PATH: '() { :; }', CORDON_HOME: '/x', MY_TOKEN: 'a\0b' };
    expect(buildFilteredEnv({ extraKeys: ['CORDON_HOME', 'MY_TOKEN'], env: host })).toStrictEqual({ LC_ALL: 'C' });
  });

  it('names come in the order of the base, then of the extra keys', () => {
    const host = { Z: '1', A: '2', HOME: '/h', PATH: '/b' };
    expect(Object.keys(buildFilteredEnv({ extraKeys: ['Z', 'A', 'Z'], env: host }))).toEqual([
      'PATH',
      'HOME',
      'Z',
      'A',
    ]);
  });

  it('reads the environment of the process when given none', () => {
    expect(buildFilteredEnv({ extraKeys: [] }).PATH).toBe(process.env.PATH);
  });
});
