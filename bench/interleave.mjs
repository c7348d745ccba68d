import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const folder = mkdtempSync(join(tmpdir(), 'cbench-'));
const program = join(folder, 'interleave');
execFileSync('cc', ['-O2', '-o', program, fileURLToPath(new URL('interleave.c', import.meta.url))]);

/**
 * Median milliseconds of each command, all run in turn in every round, here or in the folder that is named beside the words. Words with a
 * `=` in front of the program are variables of that command alone.
 * @param {Record<string, string[] | { in: string, words: string[] }>} commands
 */
export function interleaved(commands, rounds, env) {
  const file = join(folder, 'commands');
  writeFileSync(
    file,
    `${Object.values(commands)
      .map((command) => (Array.isArray(command) ? [process.cwd(), ...command] : [command.in, ...command.words]))
      .map((words) => words.join('\t'))
      .join('\n')}\n`,
  );
  const output = execFileSync(program, [String(rounds), file], {
    ...{ env, encoding: 'utf8', maxBuffer: 1 << 28 },
    // What a command says each time is shown only when it fails.
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const samples = output
    .trim()
    .split('\n')
    .map((line) => line.split(' ').map(Number));
  return Object.fromEntries(
    Object.keys(commands).map((name, i) => [name, median(samples.map((round) => round[i])) / 1000]),
  );
}

function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}
