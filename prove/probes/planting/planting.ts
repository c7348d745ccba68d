import { existsSync, readFileSync } from 'node:fs';
import type { Probe } from '../../probe.ts';
import type { Scene } from '../../scene.ts';
import { writeTo } from '../../scripts.ts';

export interface Planting {
  /** What is there before; the text of each is `# mine`. */
  readonly existing?: readonly string[];
  /** Where the trial writes; relative to the home. */
  readonly places: readonly string[];
  readonly plant?: (scene: Scene) => unknown;
}

const remains = (scene: Scene, place: string) => {
  const path = scene.path(place);
  return existsSync(path) && readFileSync(path, 'utf8').includes(scene.canary);
};

/** Code put where something outside would run it later: what counts is what the host has when the command is gone. */
export function planting({ existing = [], places, plant }: Planting): Pick<Probe, 'plant' | 'trial' | 'worked'> {
  return {
    plant: async (scene) => {
      for (const place of existing) scene.file(place, '# mine\n');
      await plant?.(scene);
    },
    trial: (scene) => ({
      sh: writeTo(
        places.map((place) => scene.path(place)),
        scene.canary,
      ),
    }),
    worked: (scene) => places.some((place) => remains(scene, place)),
  };
}
