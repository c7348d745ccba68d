import { isAbsolute, join, normalize } from 'node:path';
import { childOf, entryOf, itemsOf, type Node, textOf } from '../load/node.ts';
import type { Problems } from '../load/problems.ts';
import type { FsPreset } from '../policy.ts';
import type { Layer, Located } from './layer.ts';

export interface PathOptions {
  readonly problems: Problems;
  /** What `~` stands for; undefined where no home is known. */
  readonly home: string | undefined;
}

const RESTRICTIONS = ['preset', 'allow', 'read', 'hide'];

export function readFilesystem(root: Node, options: PathOptions): Pick<Layer, 'filesystem' | 'paths' | 'allowsPaths'> {
  const section = childOf(root, 'filesystem');
  const paths = (key: string) => itemsOf(childOf(section, key)).flatMap((item) => readPath(item, options));
  return {
    filesystem: readPreset(section, options.problems),
    paths: { write: paths('allow'), read: paths('read'), hide: paths('hide'), expose: readExposed(section, options) },
    allowsPaths: childOf(section, 'allow') !== undefined,
  };
}

/** What only lets something through asks for no protection, so nothing is lost where there is none. */
function readPreset(section: Node | undefined, problems: Problems): Layer['filesystem'] {
  const first = RESTRICTIONS.map((key) => entryOf(section, key)).find((entry) => entry !== undefined);
  if (first === undefined) return undefined;
  return {
    value: textOf(childOf(section, 'preset')) as FsPreset | undefined,
    origin: problems.where(first.value.place),
  };
}

/** Without a home folder there is nothing of it to let through. */
function readExposed(section: Node | undefined, options: PathOptions): Located<string>[] {
  const items = itemsOf(childOf(section, 'expose'));
  const known = items.filter((item) => expandHome(textOf(item) ?? '', options.home) !== undefined);
  return known.flatMap((item) => readPath(item, options));
}

/** Relative paths would mean another folder for every reader: only absolute ones, and those of the home folder. */
function readPath(node: Node, { problems, home }: PathOptions): Located<string>[] {
  const path = textOf(node);
  if (path === undefined) return [];
  const expanded = expandHome(path, home);
  if (expanded !== undefined && isAbsolute(expanded) && !expanded.includes('\0')) {
    return [{ value: withoutEndSlash(normalize(expanded)), origin: problems.where(node.place) }];
  }
  problems.add(node.place, ...pathProblem(path, expanded));
  return [];
}

function pathProblem(path: string, expanded: string | undefined): [string, string?] {
  if (expanded === undefined) return [`'${path}' cannot be known: there is no home folder`, 'write an absolute path'];
  if (path.includes('\0')) return ['a path cannot have a NUL in it'];
  return [`'${path}' is not an absolute path`, 'write it from /, or from ~/ for the home folder'];
}

function expandHome(path: string, home: string | undefined): string | undefined {
  if (path !== '~' && !path.startsWith('~/')) return path;
  return home === undefined ? undefined : join(home, path.slice(1));
}

const withoutEndSlash = (path: string) => (path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path);
