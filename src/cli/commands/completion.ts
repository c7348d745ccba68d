import { type Bytes, showBytes, textOfBytes } from '../../host/bytes.ts';
import { candidatesFor } from '../completion/candidates.ts';
import { SCRIPTS } from '../completion/scripts.ts';
import type { Context } from '../context.ts';
import { parseArguments, usageError } from '../flags.ts';

export async function run(args: readonly Bytes[], context: Context): Promise<number> {
  const { words, rest } = parseArguments(args, { flags: [] });
  const [shell] = words;
  // Not for people: the scripts call it.
  if (shell === 'words' && rest !== undefined) return answer(rest, context);
  if (shell === undefined || !Object.hasOwn(SCRIPTS, shell)) {
    throw usageError(
      `completion is for bash, zsh or fish, not '${showBytes(shell ?? ('' as Bytes))}'`,
      'for example, in ~/.bashrc: source <(cordon completion bash)',
    );
  }
  context.out(SCRIPTS[shell] as string);
  return 0;
}

async function answer(line: readonly Bytes[], context: Context): Promise<number> {
  const words = line.map((word) => textOfBytes(word) ?? '');
  const found = (await candidatesFor(words, context)).filter(({ word }) => !/[\t\n]/.test(word));
  context.out(found.map(({ word, what }) => `${word}${what === undefined ? '' : `\t${what}`}\n`).join(''));
  return 0;
}
