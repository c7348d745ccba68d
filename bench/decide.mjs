// decide for many variables and rules, and how it grows.
import { performance } from 'node:perf_hooks';
import '../scripts/ts.mjs';

const { decide } = await import('../src/decide/decide.ts');
const { ParentEnv } = await import('../src/host/parent-env.ts');
const { Pattern } = await import('../src/policy/pattern.ts');
const { DEFAULT_POLICY } = await import('../src/policy/policy.ts');

function environment(count) {
  const names = Array.from({ length: count }, (_, i) => `VAR_${(i * 7919) % 99991}_NAME_${i}`);
  return ParentEnv.fromRecord(Object.fromEntries(names.map((name) => [name, 'v'])));
}

/** 70 % exact names, 25 % prefixes, 5 % general globs. */
function policy(count) {
  const text = (i) => {
    if (i % 20 < 14) return `VAR_${i}_NAME_${i}`;
    return i % 20 < 19 ? `VAR_${i}_*` : `*${i}_N?ME_[0-9]*`;
  };
  const allow = Array.from({ length: count }, (_, i) => ({ pattern: Pattern.parse(text(i)), origin: 'bench' }));
  return { ...DEFAULT_POLICY, allow };
}

/** The best of several runs: what the code takes, not what else ran on the machine. */
function cost(variables, rules, runs) {
  const env = environment(variables);
  const rulesOf = policy(rules);
  return Math.min(
    ...Array.from({ length: runs }, () => {
      const start = performance.now();
      decide(rulesOf, env);
      return performance.now() - start;
    }),
  );
}

export function rows({ smoke }) {
  const runs = smoke ? 5 : 15;
  cost(2000, 200, 3);
  const base = cost(10_000, 1000, runs);
  return [
    { name: 'decide: 10,000 variables x 1,000 rules', value: base, unit: 'ms', goal: '<= 50' },
    { name: 'decide: twice the variables', value: cost(20_000, 1000, runs) / base, unit: 'x', goal: '<= 2.3' },
    { name: 'decide: twice the rules', value: cost(10_000, 2000, runs) / base, unit: 'x', goal: '<= 2.3' },
  ];
}
