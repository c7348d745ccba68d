import {
  isNamedBy,
  literally,
  type Operation,
  type PathPattern,
  pathsOf,
  patternBelow,
  plainOf,
} from '../../plan/places/index.ts';

interface Moved {
  readonly path: string;
  readonly target: string;
}

/** What is hidden or kept on this machine is so inside too, also where it has come under another path. */
export function atTargets(operations: readonly Operation[], mounts: readonly Moved[]): Operation[] {
  return operations.map((operation) => {
    const moved = (patterns: readonly PathPattern[]) => {
      const elsewhere = patterns.flatMap((pattern) => mounts.flatMap((mount) => movedPath(pattern, mount)));
      return [...new Set([...patterns, ...elsewhere])];
    };
    if (operation.kind === 'keep-read')
      return { ...operation, paths: moved(operation.paths.map(literally)).flatMap((path) => plainOf(path) ?? []) };
    const isKept = operation.kind === 'hide' || operation.kind === 'keep-out';
    return isKept ? { ...operation, paths: moved(operation.paths) } : operation;
  });
}

/** A `*` stands for a part of one name: the names of the folder are compared one by one. What is around the folder is all of it. */
function movedPath(hidden: PathPattern, { path, target }: Moved): PathPattern[] {
  const [names, own] = [partsOf(hidden), partsOf(path)];
  if (!own.every((name, i) => names[i] === undefined || isNamedBy(name, names[i]))) return [];
  return pathsOf([target]).map((folder) => patternBelow(folder, names.slice(own.length).join('/')));
}

const partsOf = (path: string) => path.split('/').filter((part) => part !== '');
