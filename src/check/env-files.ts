import { basename, dirname, relative, resolve, sep } from 'node:path';
import { isIgnored } from './git-ignore.ts';
import { repositoryAt } from './git-index.ts';

/** Holds values, unlike `.env.example` and its kin. */
export const holdsValues = (path: string): boolean =>
  /^\.env(?:\.(?!example|sample|schema|template|dist|default)[\w.-]+)?$/.test(basename(path));

/** Holds what is secret on purpose: nobody's policy, and nobody's business as long as git leaves it out. */
export const isPrivate = (path: string): boolean => /^\.env(?:\.local|\.[\w-]+\.local)?$/.test(basename(path));

/** What git does with a file of values; `open` is what the next `git add .` takes. Undefined where there is no repository, or no values. */
export function keptBy(path: string, home: string | undefined): 'tracked' | 'ignored' | 'open' | undefined {
  const file = resolve(path);
  const repository = holdsValues(file) ? repositoryAt(dirname(file)) : undefined;
  if (repository === undefined) return undefined;
  if (repository.tracked.has(relative(repository.root, file).split(sep).join('/'))) return 'tracked';
  return isIgnored(repository, file, home) ? 'ignored' : 'open';
}
