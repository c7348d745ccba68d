import { guardValue, inspect } from '../../src/decide/guard/index.ts';
import { bytesOfText } from '../../src/host/bytes.ts';
import { harmless } from './harmless.ts';
import { Dice } from './random.ts';
import { namedSecrets, type Sample, shapedSecrets } from './secrets.ts';

export const SEED = 20250611;

export interface Score {
  readonly total: number;
  readonly found: number;
  readonly share: number;
  /** Kind and name of what was judged otherwise than most. */
  readonly others: readonly string[];
}

export interface Measurement {
  readonly seed: number;
  /** Secrets held back, by name or value, of all. */
  readonly recall: Score;
  /** The same by the value alone, where the form tells, under names that say nothing. */
  readonly valueRecall: Score;
  /** Harmless variables held back. */
  readonly falsePositives: Score;
}

export function measure(seed = SEED): Measurement {
  const dice = new Dice(seed);
  const shaped = shapedSecrets(dice);
  const secrets = [...shaped, ...namedSecrets(dice)];
  const plain = harmless(dice);
  return {
    seed,
    recall: score(secrets, ({ name, value }) => inspect(bytesOfText(name), bytesOfText(value)) !== undefined, false),
    valueRecall: score(shaped, ({ value }) => guardValue(bytesOfText('X'), bytesOfText(value)) !== undefined, false),
    falsePositives: score(
      plain,
      ({ name, value }) => inspect(bytesOfText(name), bytesOfText(value)) !== undefined,
      true,
    ),
  };
}

function score(samples: readonly Sample[], isFound: (sample: Sample) => boolean, listFound: boolean): Score {
  const judged = samples.map((sample) => ({ sample, found: isFound(sample) }));
  const found = judged.filter((one) => one.found).length;
  const others = judged.filter((one) => one.found === listFound).map(({ sample }) => `${sample.kind} (${sample.name})`);
  return { total: samples.length, found, share: found / samples.length, others };
}
