import { GROUPS, groupOf, type Probe } from './probe.ts';
import { ProveProblem } from './problem.ts';

/** The one of the known words that a mistyped one was meant to be. */
export type Guess = (word: string, known: readonly string[]) => string | undefined;

/** The probes that these words name: groups or ids. None: all. */
export function selected(probes: readonly Probe[], only: readonly string[], guess: Guess): readonly Probe[] {
  if (only.length === 0) return probes;
  const groups = Object.keys(GROUPS);
  for (const word of only) {
    if (groups.includes(word) || probes.some(({ id }) => id === word)) continue;
    throw unknown(word, [...groups, ...probes.map(({ id }) => id)], guess);
  }
  return probes.filter((probe) => only.includes(probe.id) || only.includes(groupOf(probe)));
}

function unknown(word: string, known: readonly string[], guess: Guess): ProveProblem {
  const near = guess(word, known) ?? alike(word, known);
  const groups = Object.keys(GROUPS).join(', ');
  return new ProveProblem('usage', `--only knows no group or probe '${word}'`, {
    hint: near === undefined ? `the groups are ${groups}` : `did you mean ${near}?`,
  });
}

/** The one that shares most words with it. */
function alike(word: string, known: readonly string[]): string | undefined {
  const words = word.split(/[-/]/).filter((part) => part.length > 2);
  const shared = (one: string) => one.split(/[-/]/).filter((part) => words.includes(part)).length;
  const best = known.toSorted((a, b) => shared(b) - shared(a))[0] as string;
  return shared(best) > 0 ? best : undefined;
}
