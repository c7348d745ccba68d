import { type Bytes, showBytes } from '../../host/bytes.ts';
import type { Context } from '../context.ts';
import { usageError } from '../flags.ts';

/** `cordon tool config TARGET env|fs|net|in …` */
export async function run([target, part, ...args]: readonly Bytes[], context: Context): Promise<number> {
  if (target === undefined || target.startsWith('-'))
    throw usageError('tool config needs the name of a tool', 'for example: cordon tool config ruff env base os-common');
  if (part === 'env') return (await import('./tool-env.ts')).configureEnv(target, args, context);
  if (part === 'fs') return (await import('./tool-fs.ts')).configureFs(target, args, context);
  if (part === 'net') return (await import('./tool-net.ts')).configureNet(target, args, context);
  if (part === 'in') return (await import('./tool-in.ts')).configureIn(target, args, context);
  const what = part === undefined ? 'nothing more was said' : `not '${showBytes(part)}'`;
  throw usageError(
    `after the tool comes env, fs, net or in, ${what}`,
    `for example: cordon tool config ${showBytes(target)} env list`,
  );
}
