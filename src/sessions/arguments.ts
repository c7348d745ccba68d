import { CordonError } from '../host/errors.ts';
import { isRunnable } from './skills/command.ts';

export type Words = readonly [string, ...string[]];

/** The kernel takes no longer argument, and not many more bytes of all together; variables and bubblewrap's own words have the rest. */
const LONGEST_ARGUMENT = 131_000;
const LONGEST_TOGETHER = 1_500_000;

const SHELLS = ['/bin/bash', '/usr/bin/bash'];

export function shell(): string {
  const found = SHELLS.find(isRunnable);
  if (found !== undefined) return found;
  throw new CordonError('session', 'there is no bash on this machine', { hint: 'install bash' });
}

/** Each argument costs its end and the place where it is told of. */
const POINTER = 9;

export function checkedWords(words: Words): Words {
  for (const word of words) {
    if (typeof word !== 'string' || word.includes('\0')) throw badArgument('it has a NUL, or is no text');
    if (Buffer.byteLength(word) > LONGEST_ARGUMENT) throw badArgument(`it has more than ${LONGEST_ARGUMENT} bytes`);
  }
  const together = words.reduce((sum, word) => sum + Buffer.byteLength(word) + POINTER, 0);
  if (together > LONGEST_TOGETHER) throw badArgument(`all together have more than ${LONGEST_TOGETHER} bytes`);
  return words;
}

function badArgument(why: string): CordonError {
  return new CordonError('session', `a command or argument cannot be handed over: ${why}`, {
    hint: 'write it to a file of the workspace and run that',
  });
}
