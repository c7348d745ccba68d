import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cordonProgram, freshHome } from '../support/cordon.ts';

/** Plays a conversation with a shell on a terminal, and gives what was shown. */
const converse = (steps: readonly (readonly ['send' | 'expect', string])[]) =>
  execFileSync('python3', [
    join(import.meta.dirname, '../native/fixtures/drive-terminal.py'),
    JSON.stringify([['expect', 'PROMPT> '], ...steps]),
  ]).toString();

it('in the background it leaves what is typed to the shell, and goes on', () => {
  const home = freshHome('root');
  const typed = [1, 2, 3].flatMap((i) => [
    ['send', `echo ty''ped ${i}\n`] as const,
    ['expect', `typed ${i}`] as const,
    ['expect', 'PROMPT> '] as const,
  ]);
  const shown = converse([
    ['send', `HOME=${home} ${cordonProgram()} ui &\n`],
    ['expect', 'Ctrl-C ends'],
    ...typed,
    ['send', 'jobs\n'],
    ['expect', '(Running|Stopped).*ui'],
    ['send', 'kill %1; kill -CONT %1; wait; echo co""de $?\n'],
    ['expect', 'code 0'],
  ]);
  expect(shown).not.toContain('Stopped');
});
