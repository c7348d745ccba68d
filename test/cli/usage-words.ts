import type { CommandEntry } from '../../src/cli/commands.ts';
import { usageOf } from '../../src/cli/help.ts';

/** What the help says may follow a command: the words in small letters that stand right behind it. */
export function wordsOf(command: Pick<CommandEntry, 'usage'>): string[] {
  const next = usageOf(command).flatMap(({ term }) => term.split(' ')[2]?.replace(/[[\]]/g, '').split('|') ?? []);
  return [...new Set(next.filter((word) => /^[a-z]+$/.test(word)))];
}
