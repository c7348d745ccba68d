import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Probe } from '../../probe.ts';
import type { Scene } from '../../scene.ts';
import { removeAfterwards } from './shared-places.ts';

interface Pipes {
  /** Relative to the home. */
  readonly places?: readonly string[];
  /** Absolute, in folders of all users, by names of their own. */
  readonly shared?: (scene: Scene) => readonly string[];
}

/** Opening to write works only while somebody outside reads; what is read was written outside. */
const USE = (place: string) => `
import os
for how in (os.O_RDONLY, os.O_WRONLY):
    try:
        pipe = os.open(${JSON.stringify(place)}, how | os.O_NONBLOCK)
        print('LEAKED' if how == os.O_WRONLY else os.read(pipe, 1000).decode())
    except OSError as error: print(error)
`;

/** Named pipes that a program of the user's has open: it takes orders there, or tells things. */
export function pipes({ places = [], shared }: Pipes): Pick<Probe, 'plant' | 'trial'> {
  const all = (scene: Scene) => [...places.map((place) => scene.path(place)), ...(shared?.(scene) ?? [])];
  return {
    plant: async (scene) => {
      for (const place of shared?.(scene) ?? []) removeAfterwards(scene, place);
      for (const place of all(scene)) await held(scene, place);
    },
    trial: (scene) => ({ python: all(scene).map(USE).join('') }),
  };
}

async function held(scene: Scene, place: string): Promise<void> {
  scene.folder(dirname(place));
  await scene.command(['mkfifo', '-m', '600', place]);
  const pipe = openSync(place, constants.O_RDWR | constants.O_NONBLOCK);
  scene.atEnd(() => closeSync(pipe));
  writeSync(pipe, `${scene.canary}\n`);
}
