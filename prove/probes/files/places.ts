import type { Probe } from '../../probe.ts';
import type { Scene } from '../../scene.ts';
import { attack } from '../attack.ts';

/** Prints each file that can be read, with its name. */
const readAll = (places: readonly string[]) => `cd ~; grep -H . ${places.map((place) => `'${place}'`).join(' ')}`;

/** Stand-ins at these places of the home, and a look at each. */
export function filesAt(...places: readonly string[]): Pick<Probe, 'planted' | 'tried' | 'plant' | 'trial'> {
  return {
    planted: `stand-ins at ${places.map((place) => `~/${place}`).join(', ')}`,
    tried: 'reading them',
    plant: (scene: Scene) => places.map((place) => scene.file(place)),
    trial: () => ({ sh: readAll(places) }),
  };
}

/** A family of credential files, which a policy that promises to hide credentials holds back. */
export function credentials(
  words: Pick<Probe, 'id' | 'title' | 'gives' | 'reference'>,
  ...places: readonly string[]
): Probe {
  return { ...words, promise: 'credentials', ...filesAt(...places) };
}

export type Family = readonly [name: string, title: string, ...places: readonly string[]];

/** Families of which a line says all there is to say. */
export const families = (all: readonly Family[]): readonly Probe[] =>
  all.map(([name, title, ...places]) =>
    credentials(
      { id: `files/${name}`, title, gives: 'what these keys and passwords open', reference: attack('T1552/001') },
      ...places,
    ),
  );
