import { join } from 'node:path';
import type { Collection } from './collect.ts';
import { HIDDEN_IN_HOME, HIDDEN_IN_SYSTEM, type PlaceGroup } from './credentials.ts';
import type { Found } from './disk.ts';
import { FROZEN_IN_HOME, FROZEN_IN_SYSTEM, type FrozenPlace, HELD_BACK } from './frozen.ts';
import { isWithin } from './paths.ts';
import { SOCKETS } from './sockets.ts';

/** Most of the places would lie here. */
const CROWDED = ['', '/.config', '/.local', '/.local/share', '/.cache'];

export function hideCredentials(into: Collection): void {
  for (const home of into.homes) for (const folder of CROWDED) into.disk.listing(`${home}${folder}`);
  for (const root of rootsOf(into)) {
    for (const group of HIDDEN_IN_HOME)
      for (const rest of placesIn(into, root, group.places)) hidePlace(into, group, root.folder, rest);
  }
  for (const { path, why } of into.facts.named) into.cover(path, { access: 'hidden', speaker: 'preset', why });
}

export function hideSystemPlaces(into: Collection): void {
  for (const folder of ['/', '/etc', '/run', '/tmp']) into.disk.listing(folder);
  for (const { why, places } of [...HIDDEN_IN_SYSTEM, ...SOCKETS]) {
    for (const place of places) hideSystemPlace(into, place.slice(1).replace('UID', String(into.facts.uid)), why);
  }
}

function hideSystemPlace(into: Collection, place: string, why: string): void {
  if (into.disk.unlisted('/', place) !== undefined) return;
  for (const path of into.disk.expand('/', place)) {
    const found = into.disk.existing(path);
    if (found !== undefined && isReachable(into, found))
      into.coverFound(found, { access: 'hidden', speaker: 'preset', why });
  }
}

/** The runtime folder holds the sockets of the whole session, and programs want to put their own there: they get one of their own. */
export function replaceRuntimeFolder(into: Collection): void {
  const { uid, runtime } = into.facts;
  for (const path of new Set([`/run/user/${uid}`, ...(runtime === undefined ? [] : [runtime])])) {
    const found = into.disk.existing(path);
    if (found?.kind === 'dir')
      into.coverFound(found, { access: 'private', speaker: 'preset', why: 'sockets of the session' });
  }
}

export function freezeStartupPlaces(into: Collection): void {
  for (const root of rootsOf(into)) {
    for (const { why, places } of FROZEN_IN_HOME) for (const place of places) freezePlace(into, root, place, why);
    for (const place of HELD_BACK) holdBack(into, root, place);
  }
  freezeShellFiles(into);
  for (const { why, places } of FROZEN_IN_SYSTEM) {
    for (const { path } of places) {
      const found = into.disk.existing(path);
      if (found !== undefined && into.disk.isWritable(found.path))
        into.coverFound(found, { access: 'readonly', speaker: 'preset', why });
    }
  }
}

/** What a shell outside would run at its start because a variable says so. */
function freezeShellFiles(into: Collection): void {
  for (const path of into.facts.shellFiles) {
    const found = into.disk.existing(path);
    if (found?.kind === 'file')
      into.coverFound(found, { access: 'readonly', speaker: 'preset', why: 'shell start-up files' });
  }
}

/** What the user's shell runs by name. Root installs into system folders as ordinary work, so for root only those in the home count. */
export function freezeSearchPath(into: Collection, workspace: string): void {
  for (const folder of new Set(into.facts.path)) {
    const place = into.disk.find(folder);
    if (
      'missing' in place &&
      into.homes.some((home) => home !== '/' && isWithin(folder, home)) &&
      !isWithin(folder, workspace)
    )
      into.occupy(
        folder,
        place,
        { access: 'readonly', speaker: 'preset', why: 'programs found through PATH' },
        { kind: 'dir' },
      );
    const found = into.disk.existing(folder);
    if (found?.kind !== 'dir' || isWithin(found.path, workspace) || !into.disk.isWritable(found.path)) continue;
    if (into.facts.uid === 0 && !into.homes.some((home) => home !== '/' && isWithin(found.path, home))) continue;
    if ([...into.homes, workspace, '/tmp'].some((needed) => isWithin(needed, found.path))) {
      into.notes.add(`${found.path} is on PATH and stays writable, since work is done in it`);
    } else into.coverFound(found, { access: 'readonly', speaker: 'preset', why: 'programs found through PATH' });
  }
}

/** A folder that stands for a part of the home: the home itself, or where a variable moved that part. */
interface Root {
  readonly folder: string;
  readonly prefix: string;
}

function rootsOf({ facts, disk, homes }: Collection): Root[] {
  const moved = Object.entries(facts.moved).flatMap(([usual, place]) => {
    const folder = disk.existing(place)?.path;
    return folder === undefined || folder === '/' ? [] : [{ folder, prefix: `${usual}/` }];
  });
  const zsh = facts.zdotdir === undefined ? undefined : disk.existing(facts.zdotdir)?.path;
  return [
    ...homes.map((folder) => ({ folder, prefix: '' })),
    ...moved,
    ...(zsh === undefined ? [] : [{ folder: zsh, prefix: '' }]),
  ];
}

/** Nearly all places are absent in any one home, so that much is found out without a look at each. */
function placesIn(into: Collection, { folder, prefix }: Root, places: readonly string[]): string[] {
  const own =
    prefix === ''
      ? places
      : places.filter((place) => place.startsWith(prefix)).map((place) => place.slice(prefix.length));
  return own.filter((place) => {
    const missing = into.disk.unlisted(folder, place);
    if (missing !== undefined) into.expectAbsent(missing);
    return missing === undefined;
  });
}

function hidePlace(into: Collection, { why, holding }: PlaceGroup, folder: string, rest: string): void {
  for (const path of into.disk.expand(folder, rest)) {
    if (
      holding !== undefined &&
      !(into.disk.existing(path)?.kind === 'file' && holding.test(into.disk.read(path) ?? ''))
    )
      continue;
    into.cover(path, { access: 'hidden', speaker: 'preset', why }, folder);
  }
}

function holdBack(into: Collection, root: Root, place: FrozenPlace): void {
  const found = into.disk.find(join(root.folder, place.path), root.folder);
  if ('missing' in found) freezePlace(into, root, place, 'nothing may be planted where credentials go');
  else if (root.prefix === '' && mayBePlaceholder(into, found, place))
    into.hold(found.path, root.folder, { kind: place.absent ?? 'dir', text: place.text });
}

function freezePlace(into: Collection, { folder, prefix }: Root, place: FrozenPlace, why: string): void {
  const rest = place.path.slice(prefix.length);
  if (folder === '/' && !rest.startsWith('.')) return;
  if (!place.path.startsWith(prefix) || (place.absent === undefined && into.disk.unlisted(folder, rest) !== undefined))
    return;
  const path = join(folder, rest);
  const found = into.disk.find(path, folder);
  const saying = { access: 'readonly', speaker: 'preset', why } as const;
  if (!('missing' in found)) {
    into.coverFound(found, saying);
    if (place.absent !== undefined && mayBePlaceholder(into, found, place))
      into.hold(path, folder, { kind: place.absent, text: place.text });
  } else if (place.absent !== undefined && folder !== '/' && isWanted(into, folder, place)) {
    const empty = place.absent === 'dir' && place.readInside !== true;
    into.occupy(path, found, { ...saying, empty }, { kind: place.absent, text: place.text });
  }
}

function mayBePlaceholder(
  { disk }: Collection,
  { path, kind, link }: Found,
  { absent, text = '' }: FrozenPlace,
): boolean {
  return link === undefined && kind === absent && (kind === 'dir' || disk.stat(path)?.size === Buffer.byteLength(text));
}

function isWanted({ disk }: Collection, folder: string, { unless, readers }: FrozenPlace): boolean {
  if (unless !== undefined && disk.stat(join(folder, unless)) !== undefined) return false;
  // Where /bin is /usr/bin by another name, once is enough.
  const bins = disk.stat('/bin')?.isSymbolicLink()
    ? ['/usr/bin', '/usr/local/bin']
    : ['/usr/bin', '/bin', '/usr/local/bin'];
  return readers === undefined || readers.some((name) => bins.some((bin) => disk.has(`${bin}/${name}`)));
}

/** A socket needs the right to write, a file the right to read; what is closed to this user needs no mask. */
function isReachable({ disk, facts }: Collection, { path, kind }: Found): boolean {
  return kind === 'other' ? disk.isWritable(path) : disk.isReadable(path) || disk.stat(path)?.uid === facts.uid;
}
