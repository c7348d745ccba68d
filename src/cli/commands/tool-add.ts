import { type Bytes, showBytes, showText } from '../../host/bytes.ts';
import { addTool } from '../../tools/operations.ts';
import { toolSetup } from '../../tools/setup.ts';
import type { Context } from '../context.ts';
import { hasFlag, JSON_FLAG, parseArguments, usageError } from '../flags.ts';
import { warnUnlessFirstOnPath } from './tool-path.ts';

export function run(args: readonly Bytes[], context: Context): number {
  const parsed = parseArguments(args, { flags: [JSON_FLAG] });
  const words = [...parsed.words, ...(parsed.rest ?? [])];
  if (words.length === 0) throw usageError('tool add needs a command', 'for example: cordon tool add ruff');
  const setup = toolSetup(context.env);
  const added = words.map((word) => addTool(setup, word).target);
  if (hasFlag(parsed, '--json')) {
    context.out(
      `${JSON.stringify(
        added.map(({ name, path }) => ({ tool: name, path: showBytes(path) })),
        null,
        2,
      )}\n`,
    );
  } else for (const { name, path } of added) context.out(`${showText(name)} → ${showBytes(path)}\n`);
  warnUnlessFirstOnPath(setup, context);
  return 0;
}
