import { writeSync } from 'node:fs';
import { frontDescriptor } from '../host/parent-env.ts';
import type { LaunchPlan } from '../plan/plan.ts';
import { planText } from '../plan/plan-text.ts';

/**
 * Gives the plan to the native front that started us and waits on the other end of the pipe. It becomes the child's supervisor once
 * this process has ended with 0, so no Node process holds the parent's environment while the child runs.
 */
export function handOver(plan: LaunchPlan): boolean {
  const descriptor = frontDescriptor();
  if (descriptor === undefined) return false;
  const text = Buffer.from(planText(plan, 'with-values'), 'latin1');
  for (let written = 0; written < text.length; ) written += writeSync(descriptor, text, written);
  text.fill(0);
  return true;
}
