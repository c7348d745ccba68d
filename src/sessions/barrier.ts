import { CordonError } from '../host/errors.ts';
import type { ParentEnv } from '../host/parent-env.ts';
import { surveyMachine } from '../launch/machine.ts';
import { probeBarrier } from '../launch/probe.ts';
import type { Machine } from '../plan/plan.ts';

/** Whether a barrier was seen to work; one that fails is tried again, since it may be mended meanwhile. */
let works = false;

/** What holds a sandbox on this machine, or a refusal. Nothing of a session ever runs without it. */
export function requireBarrier(env: ParentEnv, what: string): Machine {
  const machine = surveyMachine(env);
  if (works) return machine;
  const { ok, found } = probeBarrier();
  if (!ok) throw noBarrier(what, found);
  works = true;
  return machine;
}

/** After a launch that failed: the barrier may be what is missing. */
export function barrierFailure(env: ParentEnv, what: string): CordonError | undefined {
  works = false;
  try {
    requireBarrier(env, what);
    return undefined;
  } catch (error) {
    if (error instanceof CordonError) return error;
    throw error;
  }
}

function noBarrier(what: string, why: string): CordonError {
  return new CordonError(
    'security',
    `SECURITY ERROR: ${what} was not run, since there is no barrier here to hold it: ${why}. Secrets are handed to nothing outside of one.`,
    { hint: 'cordon doctor says what is in the way, and how to get it out of it' },
  );
}
