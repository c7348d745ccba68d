import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Escape } from './escape.ts';
import { FS_ALL, type Off } from './escape-off.ts';
import { writeTo } from './escape-probes.ts';
import type { Scene } from './escape-scene.ts';

export interface Planting {
  /** What is there before; the text of each is `# mine`. */
  readonly existing?: readonly string[];
  /** Where the child writes; relative to the home. */
  readonly places: readonly string[];
  readonly plant?: (scene: Scene) => void;
  readonly off?: Off;
}

const remains = ({ home, canary }: Scene, place: string) => {
  const path = join(home, place);
  return existsSync(path) && readFileSync(path, 'utf8').includes(canary);
};

/** Code put where something outside would run it later: what counts is what the host has when the command is gone. */
export function planting({ existing = [], places, plant, off = FS_ALL }: Planting): Escape {
  return {
    plant: (scene) => {
      for (const place of existing) scene.file(place, '# mine\n');
      plant?.(scene);
    },
    probe: ({ home, canary }) => ({
      sh: writeTo(
        places.map((place) => join(home, place)),
        canary,
      ),
    }),
    worked: (scene) => places.some((place) => remains(scene, place)),
    off,
  };
}
