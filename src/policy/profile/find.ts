import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { basename, dirname, extname, isAbsolute, join, relative, resolve } from 'node:path';
import { CordonError } from '../../host/errors.ts';
import { presenceOf } from '../../host/files.ts';
import { EXTENSIONS } from '../load/load.ts';
import type { XdgFolders } from '../places.ts';
import { BUILT_IN_PROFILES } from '../profiles/index.ts';

/** Where profiles are looked for. Nothing is ever picked up from the working folder by its name alone. */
export interface ProfilePlaces {
  /** Cordon's own configuration; undefined when it is not to be read. */
  readonly config: string | undefined;
  /** What `~` stands for. */
  readonly home: string | undefined;
  /** What a relative path given by the user is relative to. */
  readonly workdir: string;
  /** What `$WORKDIR` stands for where that is another folder. */
  readonly runIn?: string | undefined;
  /** What `$XDG_…` stand for; without it their usual places in the home. */
  readonly xdg?: XdgFolders | undefined;
}

/** `named`: found by its name in Cordon's home. `own`: really lies there, so that it is protected from what Cordon starts. */
export type Found =
  | {
      readonly kind: 'file';
      readonly name: string;
      readonly path: string;
      readonly own: boolean;
      readonly named?: boolean;
    }
  | { readonly kind: 'built-in'; readonly name: string };

/** A path when it looks like one and is there; else a name: of a profile in Cordon's home, or of a built-in one. */
export function findProfile(reference: string, places: ProfilePlaces, from?: Found): Found | undefined {
  const folder = from?.kind === 'file' ? dirname(from.path) : places.workdir;
  const path = resolve(folder, expandHome(reference, places.home));
  if (reference.includes('/')) {
    const presence = presenceOf(path);
    if (presence === 'forbidden')
      throw new CordonError('policy', 'the file may not be read', { where: path, hint: 'check its owner and mode' });
    return presence === 'there' ? fileAt(path, places) : undefined;
  }
  if (hasKnownExtension(reference) && existsSync(path)) return fileAt(path, places);
  return findByName(reference, places, from) ?? findBeside(reference, places, from);
}

/** A profile that extends its own name means the built-in one it shadows. */
function findByName(name: string, places: ProfilePlaces, from: Found | undefined): Found | undefined {
  const isItself = from?.kind === 'file' && from.named && from.name === name;
  const own = isItself && isBuiltIn(name) ? undefined : ownFile(name, places);
  if (own !== undefined) return { ...fileAt(own, places), name, named: true };
  return isBuiltIn(name) ? { kind: 'built-in', name } : undefined;
}

/** The base of a file given by its path may lie next to it. */
function findBeside(name: string, places: ProfilePlaces, from: Found | undefined): Found | undefined {
  if (from?.kind !== 'file' || from.named) return undefined;
  const path = onlyFile(dirname(from.path), name);
  return path === undefined ? undefined : fileAt(path, places);
}

const isBuiltIn = (name: string) => Object.hasOwn(BUILT_IN_PROFILES, name);

function ownFile(name: string, places: ProfilePlaces): string | undefined {
  const folder = profileFolder(places);
  return folder === undefined ? undefined : onlyFile(folder, name);
}

function onlyFile(folder: string, name: string): string | undefined {
  const [path, second] = EXTENSIONS.map((extension) => join(folder, `${name}${extension}`)).filter((one) =>
    existsSync(one),
  );
  if (path === undefined || second === undefined) return path;
  throw new CordonError('policy', `two files define the profile '${name}'`, {
    where: folder,
    hint: `keep ${basename(path)} or ${basename(second)}`,
  });
}

function fileAt(path: string, places: ProfilePlaces): Extract<Found, { kind: 'file' }> {
  return { kind: 'file', name: basename(path, extname(path)), path, own: isOwn(path, places), named: false };
}

/** By the real path: a link in Cordon's home to a file elsewhere does not make that file Cordon's. */
export function isOwn(path: string, places: ProfilePlaces): boolean {
  const folder = profileFolder(places);
  if (folder === undefined || !existsSync(folder)) return false;
  const inside = relative(realpathSync(folder), realpathSync(path));
  return inside !== '' && !inside.startsWith('..') && !isAbsolute(inside);
}

function profileFolder({ config }: ProfilePlaces): string | undefined {
  return config === undefined ? undefined : join(config, 'profiles');
}

function hasKnownExtension(path: string): boolean {
  return EXTENSIONS.includes(extname(path).toLowerCase());
}

function expandHome(path: string, home: string | undefined): string {
  return home !== undefined && path.startsWith('~/') ? join(home, path.slice(2)) : path;
}

/** All profiles that have a name: the user's own first, then the built-in ones they don't shadow. */
export function namedProfiles(places: ProfilePlaces): Found[] {
  const own = ownFiles(profileFolder(places)).map((path): Found => ({ ...fileAt(path, places), named: true }));
  const taken = new Set(own.map(({ name }) => name));
  const builtIn = Object.keys(BUILT_IN_PROFILES).filter((name) => !taken.has(name));
  return [...own, ...builtIn.map((name): Found => ({ kind: 'built-in', name }))];
}

function ownFiles(folder: string | undefined): string[] {
  if (folder === undefined || !existsSync(folder)) return [];
  return namesIn(folder)
    .filter(hasKnownExtension)
    .toSorted()
    .map((name) => join(folder, name));
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new CordonError('policy', `the folder of profiles cannot be read (${code})`, { where: folder, cause });
  }
}
