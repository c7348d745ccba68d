import { isAbsolute, normalize } from 'node:path';

declare const pathBrand: unique symbol;
declare const patternBrand: unique symbol;

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

/** Places of one of our own lists: `*` is any part of one name, `\*` a star and `\\` a backslash. */
export type PathPattern = string & { readonly [patternBrand]: true };

/** What people, variables and the machine name is meant as it is written. */
export const literally = (path: Path): PathPattern => path.replace(/[\\*]/g, '\\$&') as PathPattern;

export const patternBelow = (folder: Path, rest: string): PathPattern =>
  below(literally(folder) as string as Path, rest) as string as PathPattern;

const ESCAPED = /\\([*\\])/g;
const hasStar = (pattern: string) => pattern.replace(ESCAPED, '').includes('*');

/** The one path that a pattern stands for; undefined where it may be several. */
export const plainOf = (pattern: PathPattern): Path | undefined =>
  hasStar(pattern) ? undefined : (pattern.replace(ESCAPED, '$1') as Path);

/** Its folder up to the first name with a `*` in it, that name, and what follows. */
export function cutAtStar(
  pattern: PathPattern,
): { readonly folder: Path; readonly name: string; readonly rest: string[] } | undefined {
  const names = pattern.split('/');
  const at = names.findIndex(hasStar);
  if (at < 0) return undefined;
  const folder = plainOf(names.slice(0, at).join('/') as PathPattern) as Path;
  return { folder, name: names[at] as string, rest: names.slice(at + 1) };
}

const expressionOf = (pattern: string) =>
  pattern.replace(/\\([*\\])|[*.+?^${}()|[\]\\]/g, (whole, plain?: string) =>
    whole === '*' ? '[^/]*' : `\\${plain ?? whole}`,
  );

/** Whether a path is one that the pattern stands for, or below it. */
export const isWithinPattern = (path: string, pattern: PathPattern): boolean =>
  /[*\\]/.test(pattern) ? new RegExp(`^${expressionOf(pattern)}(?:/|$)`, 's').test(path) : isWithin(path, pattern);

/** One name of a path, and what a pattern has in its place. */
export const isNamedBy = (name: string, pattern: string): boolean =>
  new RegExp(`^${expressionOf(pattern)}$`, 's').test(name);

export function isWithin(path: string, folder: string): boolean {
  return path === folder || folder === '/' || path.startsWith(`${folder}/`);
}

export const isWithinAny = (path: string, folders: readonly string[]) =>
  folders.some((folder) => isWithin(path, folder));

/** The outermost first, so that nothing covers what was put in place before it. */
export function outermostFirst<Item extends { readonly path: Path | PathPattern }>(items: readonly Item[]): Item[] {
  const depth = (path: string) => (path === '/' ? 0 : path.split('/').length - 1);
  return items.toSorted((a, b) => depth(a.path) - depth(b.path));
}
