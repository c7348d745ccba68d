import { describe, expect, it } from 'vitest';
import { measure, SEED } from '../../../bench/guard/corpus.ts';

// The corpus is the same in every run; other seeds show that the rules were not fitted to one draw.
describe.each([SEED, 1, 2])('the labelled corpus, seed %i', (seed) => {
  const { recall, valueRecall, falsePositives } = measure(seed);

  it('is large enough', () => {
    expect(recall.total).toBeGreaterThanOrEqual(2000);
    expect(falsePositives.total).toBeGreaterThanOrEqual(5000);
  });

  it('loses fewer than 1 % of the secrets', () => {
    expect([recall.others, recall.share > 0.99]).toEqual([recall.others, true]);
  });

  it('sees more than 99 % of the secrets that have a form under names that say nothing', () => {
    expect([valueRecall.others, valueRecall.share > 0.99]).toEqual([valueRecall.others, true]);
  });

  it('holds back fewer than 0.5 % of what is harmless', () => {
    expect([falsePositives.others, falsePositives.share < 0.005]).toEqual([falsePositives.others, true]);
  });
});
