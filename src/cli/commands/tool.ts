import type { Bytes } from '../../host/bytes.ts';
import type { CommandModule } from '../commands.ts';
import type { Context } from '../context.ts';
import { chosen } from '../flags.ts';

const ACTIONS: Readonly<Record<string, () => Promise<CommandModule>>> = {
  add: () => import('./tool-add.ts'),
  list: () => import('./tool-list.ts'),
  config: () => import('./tool-config.ts'),
  apply: () => import('./tool-apply.ts'),
  remove: () => import('./tool-remove.ts'),
  path: () => import('./tool-path.ts'),
  suggest: () => import('./tool-suggest.ts'),
  // Shims call it when they are out of date.
  rebuild: () => import('./tool-rebuild.ts'),
  // Shims of tools in containers are this.
  start: () => import('./tool-start.ts'),
};

const NOT_FOR_PEOPLE = ['rebuild', 'start'];

export async function run([action, ...args]: readonly Bytes[], context: Context): Promise<number> {
  const module = await chosen('cordon tool', action, ACTIONS, NOT_FOR_PEOPLE)();
  return module.run(args, context);
}
