import { CordonError } from '../host/errors.ts';
import type { ParentEnv } from '../host/parent-env.ts';
import { surveyMachine } from '../launch/machine.ts';
import { probeBarrier } from '../launch/probe.ts';
import type { Machine } from '../plan/plan.ts';

/** Bubblewraps that were seen to work; one that fails is tried again, since it may be mended meanwhile. */
const working = new Set<string>();

/** F5: what holds a sandbox on this machine, or a refusal. Nothing of a session ever runs without it. */
export function requireBarrier(env: ParentEnv, what: string): Machine {
  const machine = surveyMachine(env);
  if (machine.bwrap !== undefined && working.has(machine.bwrap)) return machine;
  const { ok, found } = probeBarrier(machine);
  if (!ok) throw noBarrier(what, found);
  working.add(machine.bwrap as string);
  return machine;
}

/** After a launch that failed: the barrier may be what is missing. */
export function barrierFailure(env: ParentEnv, what: string): CordonError | undefined {
  working.clear();
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
    { hint: 'install bubblewrap (apt install bubblewrap); cordon doctor says what else is in the way' },
  );
}
