import { type Operation, type Path, pathOf } from '../../plan/places/index.ts';

interface Moved {
  readonly path: string;
  readonly target: string;
}

/** What is hidden or kept on this machine is so inside too, also where it has come under another path. */
export function atTargets(operations: readonly Operation[], mounts: readonly Moved[]): Operation[] {
  return operations.map((operation) => {
    if (operation.kind !== 'hide' && operation.kind !== 'keep-out' && operation.kind !== 'keep-read') return operation;
    const moved = operation.paths.flatMap((path) => mounts.flatMap((mount) => movedPath(path, mount)));
    return { ...operation, paths: [...new Set([...operation.paths, ...moved])] };
  });
}

/** A `*` stands for a part of one name: the names of the folder are compared one by one. What is around the folder is all of it. */
function movedPath(hidden: string, { path, target }: Moved): Path[] {
  const [names, own] = [partsOf(hidden), partsOf(path)];
  if (!own.every((name, i) => names[i] === undefined || isNamed(name, names[i]))) return [];
  return [pathOf(`/${[...partsOf(target), ...names.slice(own.length)].join('/')}`) as Path];
}

const partsOf = (path: string) => path.split('/').filter((part) => part !== '');

function isNamed(name: string, pattern: string): boolean {
  const plain = pattern.split('*').map((part) => part.replaceAll(/[\\^$.|?+()[\]{}]/g, '\\$&'));
  return new RegExp(`^${plain.join('.*')}$`, 's').test(name);
}
