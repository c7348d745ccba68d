import { lstatSync, readdirSync, readFileSync, realpathSync, type Stats } from 'node:fs';

/** What stands at a path: anything that is neither a regular file nor a folder is `other`. */
type Kind = 'file' | 'dir' | 'other';

export interface Found {
  /** Free of symbolic links. */
  readonly path: string;
  readonly kind: Kind;
  /** The symbolic link it was reached through. */
  readonly link: string | undefined;
}

export interface Missing {
  /** The first part of the path that isn't there. */
  readonly missing: string;
  /** A link on the way, or a name that cannot be followed: nothing may be made there. */
  readonly link: string | undefined;
}

/** The disk as one survey sees it: every path is looked at once. */
export class Disk {
  readonly #stats = new Map<string, Stats | undefined>();
  readonly #listings = new Map<string, ReadonlySet<string> | undefined>();
  readonly #byStart = new Map<string, ReadonlyMap<string, readonly string[]>>();
  readonly #targets = new Map<string, string | undefined>();

  stat(path: string): Stats | undefined {
    if (this.#stats.has(path)) return this.#stats.get(path);
    const stats = this.#isUnlisted(path) ? undefined : quietly(() => lstatSync(path, { throwIfNoEntry: false }));
    this.#stats.set(path, stats);
    return stats;
  }

  /** Walks down from a folder known to be real, so that what lies in an absent folder costs nothing. */
  find(path: string, from = '/'): Found | Missing {
    let at = from === '/' ? '' : from;
    for (const part of path.slice(at.length + 1).split('/')) {
      if (part === '') continue;
      at = `${at}/${part}`;
      const stats = this.stat(at);
      if (stats === undefined) return { missing: at, link: undefined };
      if (stats.isSymbolicLink()) return this.#follow(at, path.slice(at.length));
    }
    return { path: at === '' ? '/' : at, kind: this.kind(at === '' ? '/' : at), link: undefined };
  }

  existing(path: string, from?: string): Found | undefined {
    const found = this.find(path, from);
    return 'missing' in found ? undefined : found;
  }

  kind(path: string): Kind {
    const stats = this.stat(path);
    if (stats?.isDirectory()) return 'dir';
    return stats?.isFile() ? 'file' : 'other';
  }

  names(folder: string): ReadonlySet<string> {
    return this.listing(folder) ?? new Set();
  }

  /** Reads the whole folder once; asking for what isn't in it is then free. Undefined: it can't be read. */
  listing(folder: string): ReadonlySet<string> | undefined {
    if (this.#listings.has(folder)) return this.#listings.get(folder);
    const listing = quietly(() => new Set(readdirSync(folder)));
    this.#listings.set(folder, listing);
    return listing;
  }

  /** The first part of a place that folders read before don't have. */
  unlisted(folder: string, place: string): string | undefined {
    let at = folder === '/' ? '' : folder;
    for (let from = 0; from <= place.length; ) {
      const slash = place.indexOf('/', from);
      const name = slash < 0 ? place.slice(from) : place.slice(from, slash);
      const listing = this.#listings.get(at || '/');
      if (listing === undefined || name.includes('*')) return undefined;
      at = `${at}/${name}`;
      if (!listing.has(name)) return at;
      if (slash < 0) return undefined;
      from = slash + 1;
    }
    return undefined;
  }

  /** The paths a pattern stands for; `*` is any part of one name. */
  expand(folder: string, pattern: string): string[] {
    if (!pattern.includes('*')) return [below(folder, pattern)];
    const [first = '', ...rest] = pattern.split('/');
    const names = first.includes('*') ? this.#candidates(folder, first).filter(matcher(first)) : [first];
    return rest.length === 0
      ? names.map((name) => below(folder, name))
      : names.flatMap((name) => this.expand(below(folder, name), rest.join('/')));
  }

  /** One character per byte. */
  bytes(path: string): string | undefined {
    return quietly(() => readFileSync(path, 'latin1'));
  }

  /** /tmp can hold thousands of names, and a dozen patterns are about it. */
  #candidates(folder: string, pattern: string): readonly string[] {
    if (pattern.indexOf('*') < START) return [...this.names(folder)];
    if (!this.#byStart.has(folder)) this.#byStart.set(folder, indexed(this.names(folder)));
    return this.#byStart.get(folder)?.get(pattern.slice(0, START)) ?? [];
  }

  #isUnlisted(path: string): boolean {
    const slash = path.lastIndexOf('/');
    return this.#listings.get(path.slice(0, slash) || '/')?.has(path.slice(slash + 1)) === false;
  }

  #follow(link: string, rest: string): Found | Missing {
    if (!this.#targets.has(link))
      this.#targets.set(
        link,
        quietly(() => realpathSync.native(link)),
      );
    const target = this.#targets.get(link);
    return target === undefined
      ? { missing: link, link }
      : { ...this.find(`${target === '/' ? '' : target}${rest}` || '/', target), link };
  }
}

const START = 2;

function indexed(names: ReadonlySet<string>): Map<string, string[]> {
  const index = new Map<string, string[]>();
  for (const name of names) {
    const same = index.get(name.slice(0, START));
    if (same === undefined) index.set(name.slice(0, START), [name]);
    else same.push(name);
  }
  return index;
}

function below(folder: string, name: string): string {
  return folder === '/' ? `/${name}` : `${folder}/${name}`;
}

function matcher(pattern: string): (name: string) => boolean {
  const [head = '', ...tails] = pattern.split('*');
  const last = tails.pop() ?? '';
  return (name) =>
    name.length >= pattern.length - 1 - tails.length &&
    name.startsWith(head) &&
    name.endsWith(last) &&
    inOrder(name, tails);
}

function inOrder(name: string, parts: readonly string[]): boolean {
  let at = 0;
  return parts.every((part) => {
    const found = name.indexOf(part, at);
    at = found + part.length;
    return found >= 0;
  });
}

/** A path that can't be looked at is as good as absent: the command runs as the same user. */
function quietly<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
