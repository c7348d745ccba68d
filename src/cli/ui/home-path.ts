import { showText } from '../../host/bytes.ts';
import { homesOf } from '../../host/folders.ts';
import type { Context } from '../context.ts';

/** As people write it: `~` for the home. On a terminal only; what a program reads has the whole path. */
export function homePath(path: string, { env, columns }: Pick<Context, 'env' | 'columns'>): string {
  if (columns === undefined) return showText(path);
  const { home, passwdHome } = homesOf(env);
  const within = [home, passwdHome].find(
    (one) => one !== undefined && one !== '/' && (path === one || path.startsWith(`${one}/`)),
  );
  return showText(within === undefined ? path : `~${path.slice(within.length)}`);
}
