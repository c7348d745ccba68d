import type { Probe } from '../../probe.ts';
import type { Scene } from '../../scene.ts';
import { connectTo } from '../../scripts.ts';
import { removeAfterwards } from './shared-places.ts';

/** Where the runtime folder of the session is in a scene. */
export const RUNTIME = 'runtime';
export const runtimeFolder = ({ home }: Scene) => ({ XDG_RUNTIME_DIR: `${home}/${RUNTIME}` });

/** Part of a name in a folder of all users, so that two attempts never meet. */
export const unique = ({ canary }: Scene) => canary.slice(-12);

interface Sockets {
  /** Relative to the home. */
  readonly places?: readonly string[] | ((scene: Scene) => readonly string[]);
  /** Absolute, in folders of all users or of the system, by names of their own. */
  readonly shared?: (scene: Scene) => readonly string[];
  readonly env?: Probe['env'];
}

/** Stand-ins for sockets of daemons: whoever gets a connection could have the daemon act for the user. */
export function sockets({ places = [], shared, env }: Sockets): Pick<Probe, 'plant' | 'env' | 'trial'> {
  const own = (scene: Scene) => (typeof places === 'function' ? places(scene) : places);
  const all = (scene: Scene) => [...own(scene).map((place) => scene.path(place)), ...(shared?.(scene) ?? [])];
  return {
    plant: async (scene) => {
      scene.folder(RUNTIME, 0o700);
      for (const place of shared?.(scene) ?? []) removeAtEnd(scene, place);
      for (const place of all(scene)) await scene.listen(place);
    },
    ...(env === undefined ? {} : { env }),
    trial: (scene) => ({ python: all(scene).map(connectTo).join('') }),
  };
}

/** With the folder that was made for it, if any. */
function removeAtEnd(scene: Scene, place: string): void {
  const [top] = /^\/(tmp|var\/tmp|dev\/shm|var\/lib|opt|srv)\/[^/]+/.exec(place) ?? [];
  if (top !== undefined) removeAfterwards(scene, top);
}
