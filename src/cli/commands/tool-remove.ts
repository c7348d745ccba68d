import { type Bytes, showText } from '../../host/bytes.ts';
import { removeTools } from '../../tools/operations.ts';
import { toolSetup } from '../../tools/setup.ts';
import type { Context } from '../context.ts';
import { hasFlag, JSON_FLAG, parseArguments, textValue, usageError } from '../flags.ts';

export function run(args: readonly Bytes[], context: Context): number {
  const parsed = parseArguments(args, { flags: [JSON_FLAG] });
  const names = [...parsed.words, ...(parsed.rest ?? [])].map((word) => textValue(word, 'the name of a tool'));
  if (names.length === 0) throw usageError('tool remove needs the name of a tool', 'cordon tool list shows them');
  const setup = toolSetup(context.env);
  removeTools(setup, [...new Set(names)]);
  if (hasFlag(parsed, '--json')) context.out(`${JSON.stringify({ removed: names }, null, 2)}\n`);
  else
    for (const name of names)
      context.out(`${showText(name)} is no longer one of the tools; it runs as it did before\n`);
  return 0;
}
