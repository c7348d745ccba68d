import { realpathSync } from 'node:fs';
import { basename, extname, resolve } from 'node:path';
import { CordonError } from '../../host/errors.ts';
import { type Loaded, loadFile } from '../load/load.ts';
import { readPlain } from '../load/plain.ts';
import { Source } from '../load/source.ts';
import { settledPlaces } from '../places.ts';
import { BUILT_IN_PROFILES } from '../profiles/index.ts';
import { type Found, findProfile, namedProfiles, type ProfilePlaces } from './find.ts';
import type { Layer, Located } from './layer.ts';
import { mergeLayers, withUniqueTargets } from './merge.ts';
import { type ReadProfile, readProfile } from './read.ts';
import { blockedWarnings } from './read-network.ts';
import type { ProfileData } from './schema.ts';
import { didYouMean } from './shape.ts';

export interface ResolvedProfile {
  readonly name: string;
  /** The file, or `built-in`. */
  readonly where: string;
  readonly description: string | undefined;
  /** The profiles it is made of, in the order they are applied. */
  readonly chain: readonly string[];
  /** The files that they are written in, absolute. */
  readonly files: readonly string[];
  /** What was read of them, by real path; built-in ones stand for themselves. */
  readonly sources: ReadonlyMap<string, string>;
  readonly layer: Layer;
}

const LONGEST_CHAIN = 64;

/** Several profiles at once are like one that extends them in this order. */
export async function resolveProfiles(references: readonly string[], places: ProfilePlaces): Promise<ResolvedProfile> {
  const chain = new Chain(places);
  const found = references.map(
    (reference) => findProfile(reference, places) ?? missing(reference, undefined, [], places),
  );
  for (const one of found) await chain.add(one, []);
  return chain.result(found.map(({ name }) => name).join(', '), found.map(whereOf).join(', '));
}

export async function resolveFound(found: Found, places: ProfilePlaces): Promise<ResolvedProfile> {
  const chain = new Chain(places);
  await chain.add(found, []);
  return chain.result(found.name, whereOf(found));
}

export async function resolveObject(data: ProfileData, places: ProfilePlaces): Promise<ResolvedProfile> {
  const chain = new Chain(places);
  const name = data.meta?.name ?? 'object';
  await chain.addRead(name, plainSource('profile object', data), [{ kind: 'built-in', name }]);
  return chain.result(name, 'object');
}

/** Depth first, bases before what builds on them, each once however many ways lead to it. */
class Chain {
  readonly #places: ProfilePlaces;
  readonly #done = new Set<string>();
  readonly #names: string[] = [];
  readonly #layers: Layer[] = [];
  readonly #files = new Set<string>();
  readonly #sources = new Map<string, string>();
  #description: string | undefined;

  constructor(places: ProfilePlaces) {
    this.#places = places;
  }

  async add(found: Found, above: readonly Found[]): Promise<void> {
    const id = idOf(found);
    const path = [...above, found];
    if (above.some((one) => idOf(one) === id)) throw chainError('profiles extend each other in a circle', path);
    if (path.length > LONGEST_CHAIN) throw chainError(`more than ${LONGEST_CHAIN} profiles extend each other`, path);
    if (this.#done.has(id)) return;
    await this.addRead(found.name, await load(found), path);
    this.#done.add(id);
  }

  async addRead(name: string, loaded: Loaded, path: readonly Found[]): Promise<void> {
    const from = path.at(-1) as Found;
    const { home, workdir, runIn = workdir, xdg = {} } = this.#places;
    const mayRunCommands = from.kind === 'file' && from.own;
    const profile = readProfile(loaded, { home, workdir: runIn, xdg, mayRunCommands });
    for (const base of profile.extends) {
      const found = findProfile(base.value, this.#places, from) ?? missing(base.value, base, path, this.#places);
      await this.add(found, path);
    }
    this.#sources.set(idOf(from), loaded.source.text);
    if (from.kind === 'file') for (const file of [resolve(from.path), realpathSync(from.path)]) this.#files.add(file);
    this.#push(name, profile, shadowWarning(from));
  }

  #push(name: string, { layer, description }: ReadProfile, shadow: readonly string[]): void {
    this.#names.push(name);
    this.#layers.push({ ...layer, warnings: [...shadow, ...layer.warnings] });
    this.#description = description;
  }

  result(name: string, where: string): ResolvedProfile {
    return {
      name,
      where,
      description: this.#description,
      chain: this.#names,
      files: [...this.#files],
      sources: this.#sources,
      layer: withSettledPlaces(withUniqueTargets(mergeLayers(this.#layers))),
    };
  }
}

function withSettledPlaces(layer: Layer): Layer {
  const { paths, warnings } = settledPlaces(layer.paths, layer.workspace.folder);
  return { ...layer, paths, warnings: [...layer.warnings, ...warnings, ...blockedWarnings(layer.network)] };
}

async function load(found: Found): Promise<Loaded> {
  if (found.kind === 'file') return loadFile(found.path);
  return plainSource(`built-in profile ${found.name}`, BUILT_IN_PROFILES[found.name] as ProfileData);
}

function plainSource(name: string, data: ProfileData): Loaded {
  const source = new Source(name);
  return { source, root: readPlain(source, data) };
}

const idOf = (found: Found) => (found.kind === 'file' ? realpathSync(found.path) : `built-in ${found.name}`);

export const whereOf = (found: Found) => (found.kind === 'file' ? found.path : 'built-in');

function shadowWarning(found: Found): string[] {
  if (found.kind !== 'file' || !found.named || !Object.hasOwn(BUILT_IN_PROFILES, found.name)) return [];
  return [`${found.path} takes the place of the built-in profile '${found.name}'`];
}

const arrows = (names: readonly string[]) => names.join(' → ');

function chainError(what: string, path: readonly Found[]): CordonError {
  const last = path.at(-2);
  return new CordonError('policy', `${what}: ${arrows(path.map(({ name }) => name))}`, {
    where: last === undefined ? undefined : whereOf(last),
    hint: "take one of them out of its 'extends'",
  });
}

function missing(
  name: string,
  base: Located<string> | undefined,
  path: readonly Found[],
  places: ProfilePlaces,
): never {
  const known = namedProfiles(places).map((one) => one.name);
  const chain = path.length === 0 ? '' : `: ${arrows([...path.map((one) => one.name), name])}`;
  const isPath = name.includes('/');
  const near = didYouMean(basename(name, extname(name)), known);
  throw new CordonError('policy', `there is no ${isPath ? 'file' : 'profile'} '${name}'${chain}`, {
    where: base?.origin,
    hint: near ?? (isPath ? 'check the path' : `known: ${known.join(', ')}; a file needs its path`),
  });
}
