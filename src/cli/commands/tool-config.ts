import { type Bytes, showBytes } from '../../host/bytes.ts';
import type { Context } from '../context.ts';
import { usageError } from '../flags.ts';
import { type ConfigPart, configure } from './tool-configure.ts';

const PARTS: Readonly<Record<string, () => Promise<ConfigPart>>> = {
  env: async () => (await import('./tool-env.ts')).ENV,
  fs: async () => (await import('./tool-fs.ts')).FS,
  net: async () => (await import('./tool-net.ts')).NET,
  in: async () => (await import('./tool-in.ts')).IN,
};

/** `cordon tool config TARGET env|fs|net|in …` */
export async function run([target, part, ...args]: readonly Bytes[], context: Context): Promise<number> {
  if (target === undefined || target.startsWith('-'))
    throw usageError('tool config needs the name of a tool', 'for example: cordon tool config ruff env base os-common');
  const load = part !== undefined && Object.hasOwn(PARTS, part) ? PARTS[part] : undefined;
  if (load !== undefined) return configure(await load(), target, args, context);
  const what = part === undefined ? 'nothing more was said' : `not '${showBytes(part)}'`;
  throw usageError(
    `after the tool comes env, fs, net or in, ${what}`,
    `for example: cordon tool config ${showBytes(target)} env list`,
  );
}
