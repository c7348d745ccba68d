import { bytesOfText } from '../host/bytes.ts';
import { ParentEnv } from '../host/parent-env.ts';
import type { Pods } from '../launch/pods/pods.ts';
import { INSIDE } from '../plan/places/index.ts';
import type { Words } from './arguments.ts';
import type { Call } from './call.ts';
import { resourceLimits } from './limits.ts';
import type { Ground } from './session.ts';

/** A call in the pod of its user, behind a barrier that is made there. */
export const launchInUsersPod =
  (ground: Ground, pods: Pods, words: Words): Call['start'] =>
  async (_place, givenUp) => {
    const { launchInPod } = await import('../launch/pods/launch-in-pod.ts');
    const { environment, env, folders, limits, id, user } = ground;
    const [program, ...args] = words.map(bytesOfText) as [ReturnType<typeof bytesOfText>];
    const request = {
      policy: environment.policy,
      env,
      parent: NOBODY,
      argv: [program, ...args] as const,
      workdir: INSIDE.workspace,
      credentials: environment.secrets,
      folders,
      user,
      quiet: true,
      record: true,
      note: { session: id, user },
      limits: {
        together: { memory: limits.memory, processes: limits.processes },
        each: (together: boolean) => resourceLimits(limits, together),
        temporary: limits.temporary,
      },
    };
    return launchInPod(request, pods, givenUp);
  };

/** There is no parent to inherit from. */
const NOBODY = ParentEnv.fromRecord({});
