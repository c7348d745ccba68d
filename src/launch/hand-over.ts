import { closeSync, writeSync } from 'node:fs';
import { frontDescriptor } from '../host/parent-env.ts';
import { type LaunchPlan, wholePlanText } from '../plan/plan.ts';

/**
 * Gives the plan to the native front that started us and waits on the other end of the pipe. With the whole plan in hand it sets the
 * sandbox up; what it is to keep of the plan is made meanwhile. Then it ends this process, so no Node process holds the parent's
 * environment while the command runs.
 */
export function handOver(plan: LaunchPlan, toKeep: () => string | undefined = () => undefined): boolean {
  const descriptor = frontDescriptor();
  if (descriptor === undefined) return false;
  write(descriptor, wholePlanText(plan));
  try {
    write(descriptor, toKeep() ?? '');
    closeSync(descriptor);
  } catch {
    // The launch has begun: the next one is planned anew, and says what is wrong if it still is.
  }
  return true;
}

function write(descriptor: number, plan: string): void {
  const text = Buffer.from(plan, 'latin1');
  for (let written = 0; written < text.length; ) written += writeSync(descriptor, text, written);
  text.fill(0);
}
