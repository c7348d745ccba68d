// The credential guard: what it finds in the labelled corpus, and what it costs.
import { performance } from 'node:perf_hooks';
import '../../scripts/ts.mjs';

const { measure } = await import('./corpus.ts');
const { environmentOf60, hostile } = await import('./costs.ts');
const { guardValue, inspect } = await import('../../src/decide/guard/index.ts');

/** The best of several runs: what the code takes, not what else ran on the machine. */
function cost(runs, work) {
  const times = Array.from({ length: runs }, () => {
    const start = performance.now();
    work();
    return performance.now() - start;
  });
  return Math.min(...times);
}

function worstGrowth(runs) {
  const growth = hostile(1_000_000).map(({ unit, value, tenth }) => {
    const whole = cost(runs, () => guardValue('VALUE', value));
    return {
      unit,
      ratio:
        whole /
        Math.max(
          cost(runs, () => guardValue('VALUE', tenth)),
          0.1,
        ),
    };
  });
  return Math.max(...growth.map(({ ratio }) => ratio));
}

export function rows({ smoke }) {
  const runs = smoke ? 3 : 9;
  const { recall, valueRecall, falsePositives } = measure();
  const env = environmentOf60();
  const inspectAll = () => env.map(([name, value]) => inspect(name, value));
  for (const what of recall.others) process.stderr.write(`guard missed: ${what}\n`);
  for (const what of new Set(falsePositives.others)) process.stderr.write(`guard held back: ${what}\n`);
  return [
    { name: `guard: recall, ${recall.total} secrets`, value: recall.share * 100, unit: '%', goal: '>= 99' },
    { name: 'guard: recall by the value alone', value: valueRecall.share * 100, unit: '%', goal: '>= 99' },
    {
      name: `guard: false positives, ${falsePositives.total} harmless`,
      value: falsePositives.share * 100,
      unit: '%',
      goal: '<= 0.5',
    },
    { name: 'guard: an environment of 60 variables', value: cost(21, inspectAll), unit: 'ms', goal: '<= 2' },
    { name: 'guard: hostile values, 1 MB against 100 kB', value: worstGrowth(runs), unit: 'x', goal: '<= 20' },
  ];
}
