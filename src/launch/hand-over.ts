import { closeSync, writeSync } from 'node:fs';
import { frontDescriptor } from '../host/parent-env.ts';
import { type LaunchPlan, wholePlanText } from '../plan/plan.ts';

/**
 * Gives the plan to the native front that started us and waits on the other end of the pipe. With the whole
 * plan in hand, and what it is to keep of it, it ends this process and becomes the child's supervisor, so no Node process holds the parent's environment meanwhile.
 */
export function handOver(plan: LaunchPlan, toKeep = ''): boolean {
  const descriptor = frontDescriptor();
  if (descriptor === undefined) return false;
  const text = Buffer.from(wholePlanText(plan) + toKeep, 'latin1');
  for (let written = 0; written < text.length; ) written += writeSync(descriptor, text, written);
  text.fill(0);
  closeSync(descriptor);
  return true;
}
