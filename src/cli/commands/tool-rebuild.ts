import { writeFileSync } from 'node:fs';
import type { Bytes } from '../../host/bytes.ts';
import { rebuildShim, shimOf } from '../../tools/rebuild.ts';
import { toolSetup } from '../../tools/setup.ts';
import type { Context } from '../context.ts';
import { textValue, usageError } from '../flags.ts';

export function run(args: readonly Bytes[], context: Context): number {
  const [name, config, bin, state, only] = args.map((word) => textValue(word, 'a path'));
  if (name === undefined || config === undefined || bin === undefined || state === undefined)
    throw usageError('tool rebuild is called by shims', 'to put policies in force: cordon tool apply');
  const setup = toolSetup(context.env, { config, bin, state });
  // Bytes, since paths need not be text.
  if (only === '-') writeFileSync(1, shimOf(setup, name) ?? '');
  else rebuildShim(setup, name);
  return 0;
}
