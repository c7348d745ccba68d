import { join } from 'node:path';
import { isWithin } from './paths.ts';

/** One line of /proc/self/mountinfo. */
export interface Mount {
  readonly device: string;
  /** The folder of the filesystem that is mounted. */
  readonly root: string;
  readonly point: string;
  readonly type: string;
}

export function parseMounts(mountinfo: string): Mount[] {
  return mountinfo.split('\n').flatMap((line) => {
    const fields = line.split(' ');
    const [, , device, root, point] = fields;
    const type = fields[fields.indexOf('-') + 1];
    if (device === undefined || root === undefined || point === undefined || type === undefined) return [];
    return [{ device, root: unescapePath(root), point: unescapePath(point), type }];
  });
}

/** Every other procfs shows the processes outside. */
export function otherProcMounts(mounts: readonly Mount[]): string[] {
  const covered = ['/proc', '/dev', '/sys'];
  const points = mounts.filter(
    ({ type, point }) => type === 'proc' && !covered.some((folder) => isWithin(point, folder)),
  );
  return [...new Set(points.map(({ point }) => point))];
}

/** Under which other paths the same file may be found: bind mounts and filesystems mounted twice. */
export function otherNames(path: string, mounts: readonly Mount[]): string[] {
  const home = mounts.filter(({ point }) => isWithin(path, point)).reduce<Mount | undefined>(deeper, undefined);
  if (home === undefined) return [];
  const inside = join(home.root, path.slice(home.point === '/' ? 0 : home.point.length));
  return mounts
    .filter((mount) => mount !== home && mount.device === home.device)
    .flatMap((mount) => nameOn(mount, inside));
}

/** The last of several mounts on one point is the one in sight. */
function deeper(best: Mount | undefined, mount: Mount): Mount {
  return best === undefined || mount.point.length >= best.point.length ? mount : best;
}

function nameOn({ root, point }: Mount, inside: string): string[] {
  if (isWithin(inside, root)) return [join(point, inside.slice(root === '/' ? 0 : root.length))];
  return isWithin(root, inside) ? [point] : [];
}

function unescapePath(text: string): string {
  if (!text.includes('\\')) return text;
  const bytes = text.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
