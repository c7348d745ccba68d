import { type Bytes, showBytes } from '../../host/bytes.ts';
import { nearest } from '../../policy/nearest.ts';
import type { CommandModule } from '../commands.ts';
import type { Context } from '../context.ts';
import { usageError } from '../flags.ts';

const ACTIONS: Readonly<Record<string, () => Promise<CommandModule>>> = {
  add: () => import('./tool-add.ts'),
  list: () => import('./tool-list.ts'),
  config: () => import('./tool-config.ts'),
  apply: () => import('./tool-apply.ts'),
  remove: () => import('./tool-remove.ts'),
  path: () => import('./tool-path.ts'),
  suggest: () => import('./tool-suggest.ts'),
  // Not for people: shims call it when they are out of date.
  rebuild: () => import('./tool-rebuild.ts'),
  // The same: shims of tools in containers.
  start: () => import('./tool-start.ts'),
};

export async function run([action, ...args]: readonly Bytes[], context: Context): Promise<number> {
  const load = action !== undefined && Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined;
  if (load === undefined) throw unknownAction(action);
  return (await load()).run(args, context);
}

function unknownAction(action: Bytes | undefined): Error {
  const known = Object.keys(ACTIONS).filter((name) => name !== 'rebuild' && name !== 'start');
  const all = `it is one of ${known.join(', ')}`;
  if (action === undefined) return usageError('cordon tool needs to know what to do', all);
  const near = nearest(action, known);
  return usageError(
    `cordon tool does not know '${showBytes(action)}'`,
    near === undefined ? all : `did you mean cordon tool ${near}?`,
  );
}
