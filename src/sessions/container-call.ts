import { bytesOfText } from '../host/bytes.ts';
import { ParentEnv } from '../host/parent-env.ts';
import type { ContainerRequest } from '../launch/container/launch-in.ts';
import { INSIDE } from '../plan/places/index.ts';
import type { ImageTarget } from '../policy/container-target.ts';
import type { Words } from './arguments.ts';
import { type Call, CHANNELS } from './call.ts';
import { resourceLimits, SURROUNDING } from './limits.ts';
import type { Ground } from './session.ts';

type InsideGround = Ground & { readonly target: ImageTarget };

/** A container for one call: the image read-only, the workspace and skills where they are in every session, and nothing else of this machine. */
export const launchInContainer =
  (ground: InsideGround, words: Words): Call['start'] =>
  async (_place, givenUp) => {
    const { launchIn } = await import('../launch/container/launch-in.ts');
    return launchIn(requestOf(ground, words), { ...CHANNELS, signal: givenUp });
  };

function requestOf({ environment, env, folders, target, ...ground }: InsideGround, words: Words): ContainerRequest {
  const { limits, workspace, skills, id, user } = ground;
  const [program, ...args] = words.map(bytesOfText) as [ReturnType<typeof bytesOfText>];
  return {
    policy: environment.policy,
    env,
    parent: NOBODY,
    argv: [program, ...args],
    workdir: INSIDE.workspace,
    credentials: environment.secrets,
    broker: environment.broker,
    folders,
    target,
    quiet: true,
    record: true,
    note: { session: id, user },
    mounts: [
      ...(workspace === undefined
        ? []
        : [{ path: workspace.path, target: INSIDE.workspace, writable: true, isWorkspace: true }]),
      ...skills.map(({ name, folder }) => ({
        path: folder,
        target: `${INSIDE.skills}/${name}`,
        writable: false,
        isWorkspace: false,
      })),
    ],
    limits: {
      together: { memory: limits.memory, processes: limits.processes + SURROUNDING },
      each: (together) => resourceLimits(limits, together),
      temporary: limits.temporary,
    },
  };
}

/** There is no parent to inherit from. */
const NOBODY = ParentEnv.fromRecord({});
