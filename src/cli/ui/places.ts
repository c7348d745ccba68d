import { showText } from '../../host/bytes.ts';
import { homesOf } from '../../host/folders.ts';
import { PLACE_WORDS } from '../../policy/places.ts';
import type { FilesystemPolicy } from '../../policy/policy.ts';
import type { Context } from '../context.ts';

/** What a policy says of places by name; nothing where it says nothing. */
export function showPlaces(filesystem: FilesystemPolicy): string {
  const { folder, mode } = filesystem.workspace;
  const workspace = [...(folder === undefined ? [] : [folder]), ...(mode === 'real' ? [] : [mode])];
  const lines = [
    ...PLACE_WORDS.flatMap((word) => filesystem[word].map((path) => [word, path])),
    ...workspace.map((what) => ['workspace', what]),
  ];
  return lines.map(([word = '', what = '']) => `${word.padEnd(9)}  ${showText(what)}\n`).join('');
}

export function placesAsJson({ preset, write, read, hide, expose, workspace }: FilesystemPolicy): object {
  return { preset, write, read, hide, expose, workspace };
}

/** As people write it: `~` for the home. On a terminal only; what a program reads has the whole path. */
export function homePath(path: string, { env, columns }: Pick<Context, 'env' | 'columns'>): string {
  if (columns === undefined) return showText(path);
  const { home, passwdHome } = homesOf(env);
  const within = [home, passwdHome].find(
    (one) => one !== undefined && one !== '/' && (path === one || path.startsWith(`${one}/`)),
  );
  return showText(within === undefined ? path : `~${path.slice(within.length)}`);
}
