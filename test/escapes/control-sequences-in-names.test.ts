import { describe, expect, it } from 'vitest';
import { onTerminal, withBlock } from '../../prove/scripts.ts';
import { cordonProgram } from '../support/cordon.ts';
import { begin, ended } from '../support/escape-run.ts';
import { Scene } from '../support/escape-scene.ts';
import { USERS } from '../support/users.ts';

// Clear the screen, retitle the window, write the clipboard, hide text, turn its direction, go back over the line.
const NAMES = [
  'A\x1b[2J',
  'B\x1b]0;title\x07',
  'C\x1b]52;c;eA==\x07',
  'D\u202etxt',
  'E\r\x08\x7f',
  'F\x9b31m',
  'G\u200b',
  'H\nI',
];
// What the table itself uses is colour.
const STEERING = /\x1b(?!\[[0-9;]*m)|[\x00-\x08\x0b\x0c\x0e-\x1a\x7f]|[\u0080-\u009f\u200b\u202e]|\r(?!\n)/;

const commands = [
  ['explain'],
  ['explain', 'A\x1b[2J'],
  ['explain', '--json'],
  ['run', '--dry-run', '--', 'true'],
  ['run', '--allow', 'A\x1b[2J', '--', 'no-such\x1b[2J-command'],
  ['run', '--deny', '[\x1b[2J', '--', 'true'],
  ['\x1b[2J'],
];

describe.each(USERS)('control sequences in names, shown to %s', (user) => {
  it.each(commands.map((command) => [command] as const))('%j shows them escaped', async (command) => {
    const scene = new Scene(user);
    const starter = [...onTerminal, ...withBlock(...NAMES.map((name) => `${name}=x`))];
    const { stdout } = await ended(begin({ scene, env: {}, starter }, [cordonProgram(), ...command]));
    expect(stdout).toMatch(/\\x1b/);
    expect(stdout).not.toMatch(STEERING);
  });

  it('the same names really are in the environment, unescaped', async () => {
    const scene = new Scene(user);
    const starter = withBlock(...NAMES.map((name) => `${name}=x`));
    expect((await ended(begin({ scene, env: {}, starter }, ['env']))).stdout).toMatch(STEERING);
  });
});
