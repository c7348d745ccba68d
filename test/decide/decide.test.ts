import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decide } from '../../src/decide/decide.ts';
import { type Bytes, bytesOfText } from '../../src/host/bytes.ts';
import { ParentEnv } from '../../src/host/parent-env.ts';
import { Pattern } from '../../src/policy/pattern.ts';
import { DEFAULT_POLICY, type Policy } from '../../src/policy/policy.ts';
import { type BaseName, NEVER_PATTERNS, ONLY_BY_NAME_PATTERNS } from '../../src/policy/presets/presets.ts';

const policyOf = (base: BaseName, more: Partial<Policy> = {}): Policy => ({
  ...DEFAULT_POLICY,
  base: { preset: base, origin: `preset ${base}` },
  ...more,
});
const allow = (...names: string[]) => names.map((name) => ({ pattern: Pattern.parse(name), origin: 'test' }));
const deny = (pattern: string, ...except: string[]) => ({
  pattern: Pattern.parse(pattern),
  except: except.map((e) => Pattern.parse(e)),
  origin: 'test',
});
const verdicts = (policy: Policy, env: Record<string, string>) =>
  Object.fromEntries(decide(policy, ParentEnv.fromRecord(env)).map(({ name, verdict }) => [name, verdict]));
const passed = (policy: Policy, env: Record<string, string>) =>
  decide(policy, ParentEnv.fromRecord(env))
    .filter(({ verdict }) => verdict === 'pass')
    .map(({ name }) => name);

describe('decide: the order of A4', () => {
  it('1 drops unusable names', () => {
    expect(decide(policyOf('all'), ParentEnv.fromRecord({ 'A=B': 'x' }))).toMatchObject([
      { verdict: 'drop', rule: 'unusable name' },
    ]);
  });

  it('2 replaces what the policy sets, and drops the source of a credential', () => {
    const policy = policyOf('all', {
      set: [{ name: bytesOfText('A'), value: bytesOfText('new'), origin: 'test' }],
      credentials: [
        { target: bytesOfText('KEY'), source: 'env://SRC', sourceVariable: bytesOfText('SRC'), origin: 'test' },
      ],
    });
    expect(verdicts(policy, { A: 'old', KEY: 'old', SRC: 's', B: 'b' })).toEqual({
      A: 'set',
      B: 'pass',
      KEY: 'credential',
      SRC: 'drop',
    });
  });

  it('3 drops control variables even when allowed by name', () => {
    expect(
      passed(policyOf('all', { allow: allow('CORDON_HOME') }), { CORDON_HOME: '/x', CORDON_POLICY_QUIET: '1' }),
    ).toEqual([]);
  });

  it('4 drops every name of the code-injection list, whatever allows it', () => {
    for (const { pattern } of NEVER_PATTERNS) {
      const name = pattern.source.replace('*', 'X').replace(/\[(.).*?\]/g, '$1');
      expect(passed(policyOf('all', { allow: allow(name, '*') }), { [name]: 'x', OK: 'y' }), name).toEqual(['OK']);
    }
  });

  it('4 admits some names only by an exact rule', () => {
    for (const { pattern } of ONLY_BY_NAME_PATTERNS) {
      expect(
        passed(policyOf('all', { allow: allow(`${pattern.source}*`) }), { [pattern.source]: 'x' }),
        pattern.source,
      ).toEqual([]);
      expect(passed(policyOf('none', { allow: allow(pattern.source) }), { [pattern.source]: 'x' })).toEqual([
        pattern.source,
      ]);
    }
  });

  it('4 lets the agent base keep the names of its own table', () => {
    expect(
      passed(policyOf('agent'), { PYTHONPATH: 'p', NODE_PATH: 'n', SSH_AUTH_SOCK: 's', NODE_OPTIONS: 'o' }),
    ).toEqual(['NODE_PATH', 'PYTHONPATH', 'SSH_AUTH_SOCK']);
  });

  it('5 strips what looks like a credential, except exact extra keys', () => {
    const env = { GH_TOKEN: 'x', HTTPS_PROXY: 'http://u:p@h', OK: 'fine' };
    expect(passed(policyOf('all', { guard: 'strip' }), env)).toEqual(['OK']);
    const exempt = [{ pattern: Pattern.parse('GH_TOKEN'), origin: 'adapter', extraKey: true }];
    expect(passed(policyOf('all', { guard: 'strip', allow: exempt }), env)).toEqual(['GH_TOKEN', 'OK']);
  });

  it('5 forbids only what would have passed', () => {
    const decisions = decide(
      policyOf('none', { guard: 'forbid', allow: allow('GH_*') }),
      ParentEnv.fromRecord({ GH_TOKEN: 'x', NPM_TOKEN: 'y' }),
    );
    expect(decisions.filter(({ forbidden }) => forbidden).map(({ name }) => name)).toEqual(['GH_TOKEN']);
  });

  it('6 deny wins over allow, and an exception belongs to its own pattern only', () => {
    const env = { GH_TOKEN: 'g', NPM_TOKEN: 'n', PATH: '/b' };
    expect(passed(policyOf('all', { deny: [deny('*TOKEN*', 'GH_TOKEN')] }), env)).toEqual(['GH_TOKEN', 'PATH']);
    expect(passed(policyOf('all', { deny: [deny('*TOKEN*', 'GH_TOKEN'), deny('GH_*')] }), env)).toEqual(['PATH']);
  });

  it('7 passes base and allow, 8 drops the rest', () => {
    expect(passed(policyOf('os-common', { allow: allow('X_*') }), { PATH: '/b', X_1: 'x', OTHER: 'o' })).toEqual([
      'PATH',
      'X_1',
    ]);
  });

  it('drops values that steer file reads or define functions', () => {
    const env = { LANG: '../../etc/x', LC_ALL: 'C', TZ: ':/etc/shadow', TERM: 'a%n', PATH: '() { :; }; x' };
    expect(passed(policyOf('os-common'), env)).toEqual(['LC_ALL']);
    const fine = { LANG: 'de_DE.UTF-8', TZ: '/usr/share/zoneinfo/Europe/Berlin', TERM: 'xterm-256color' };
    expect(passed(policyOf('os-common'), fine)).toEqual(['LANG', 'TERM', 'TZ']);
  });

  it('decides odd names like any other', () => {
    const env = ParentEnv.fromBlock(
      Buffer.from('low.er=1\0BASH_FUNC_x%%=() { :; }\0na\xefve=2\0\xff\xfe=3\0', 'latin1'),
    );
    expect(
      decide(policyOf('all'), env)
        .filter(({ verdict }) => verdict === 'pass')
        .map(({ name }) => name),
    ).toEqual(['low.er', 'na\xefve', '\xff\xfe']);
  });
});

describe('decide: hostile input', () => {
  it('asks each rule once, however often a name repeats itself', () => {
    const name = 'a'.repeat(131_000);
    const hostile = policyOf('none', {
      allow: allow(...Array.from({ length: 50 }, (_, i) => `*aaa*${'*a'.repeat(1000)}b${i}`)),
    });
    const start = process.cpuUsage();
    expect(passed(hostile, { [name]: 'x' })).toEqual([]);
    // Asking at every place of the name would take hours; this bound only tells the two apart.
    expect(process.cpuUsage(start).user / 1000).toBeLessThan(5000);
  });
});

describe('decide: properties', () => {
  const name = fc.string({ unit: fc.constantFrom('A', 'B', '_', 'T', 'O', 'K', 'E', 'N'), minLength: 1, maxLength: 6 });
  const pattern = fc.string({ unit: fc.constantFrom('A', 'B', '_', 'T', '*', '?'), minLength: 1, maxLength: 4 });
  const environment = fc.dictionary(name, fc.string({ maxLength: 4 }), { maxKeys: 12 });
  const policies = fc
    .record({
      base: fc.constantFrom<BaseName>('all', 'none', 'os-common'),
      allowed: fc.array(pattern, { maxLength: 4 }),
      denied: fc.array(fc.tuple(pattern, fc.array(pattern, { maxLength: 2 })), { maxLength: 3 }),
    })
    .map(({ base, allowed, denied }) =>
      policyOf(base, { allow: allow(...allowed), deny: denied.map(([p, e]) => deny(p, ...e)) }),
    );

  it('gives exactly one decision per name, in order, and never a value', () => {
    fc.assert(
      fc.property(policies, environment, (policy, env) => {
        const decisions = decide(policy, ParentEnv.fromRecord(env));
        expect(decisions.map(({ name: n }) => n)).toEqual(Object.keys(env).map(bytesOfText).sort());
        for (const decision of decisions)
          expect(Object.keys(decision).sort()).toEqual(['name', 'origin', 'reason', 'rule', 'verdict']);
      }),
    );
  });

  it('is (base ∪ allow) ∖ deny', () => {
    fc.assert(
      fc.property(policies, environment, (policy, env) => {
        const admits = (n: Bytes) =>
          policy.base.preset === 'all' || policy.allow.some((rule) => rule.pattern.matches(n));
        const denies = (n: Bytes) =>
          policy.deny.some((rule) => rule.pattern.matches(n) && !rule.except.some((e) => e.matches(n)));
        const expected = Object.keys(env)
          .map(bytesOfText)
          .filter((n) => admits(n) && !denies(n))
          .sort();
        expect(passed(policy, env)).toEqual(expected);
      }),
    );
  });
});
