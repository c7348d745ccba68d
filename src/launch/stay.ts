import type { LaunchPlan } from '../plan/plan.ts';
import { launch } from './launch.ts';
import { relaySignals } from './relay-signals.ts';

/** Starts what the plan says and stays as its parent until it ends. */
export async function launchAndStay(plan: LaunchPlan): Promise<number> {
  const { child, result } = launch(plan);
  const stopRelaying = relaySignals(child);
  const { exitCode } = await result.finally(stopRelaying);
  return exitCode;
}
