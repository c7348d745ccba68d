import { isAbsolute, normalize } from 'node:path';

declare const pathBrand: unique symbol;

/** A place as a plan names it: absolute, without `.`, `..`, doubled or closing slashes, free of NUL. Links in it are the launcher's matter. */
export type Path = string & { readonly [pathBrand]: true };

export function pathOf(text: string): Path | undefined {
  if (!isAbsolute(text) || text.includes('\0')) return undefined;
  const plain = normalize(text).replace(/^\/+/, '/');
  return (plain.length > 1 && plain.endsWith('/') ? plain.slice(0, -1) : plain) as Path;
}

/** Texts that are no absolute path mean nothing here and are left out. */
export const pathsOf = (texts: readonly string[]): Path[] => texts.flatMap((text) => pathOf(text) ?? []);

/** `rest` is one of our own lists' relative places, which are plain already. */
export function below(folder: Path, rest: string): Path {
  if (rest === '') return folder;
  return `${folder === '/' ? '' : folder}${rest.startsWith('/') ? '' : '/'}${rest}` as Path;
}

export function isWithin(path: string, folder: string): boolean {
  return path === folder || folder === '/' || path.startsWith(`${folder}/`);
}

export const isWithinAny = (path: string, folders: readonly string[]) =>
  folders.some((folder) => isWithin(path, folder));

/** The outermost first, so that nothing covers what was put in place before it. */
export function outermostFirst<Item extends { readonly path: Path }>(items: readonly Item[]): Item[] {
  const depth = (path: Path) => (path === '/' ? 0 : path.split('/').length - 1);
  return items.toSorted((a, b) => depth(a.path) - depth(b.path));
}
