import type { ChildProcess } from 'node:child_process';

/** Ends a process that leads a group, and all of the group, whatever it started. What got away and holds its output must not keep us waiting. */
export function endGroup(child: ChildProcess): void {
  for (const stream of child.stdio) stream?.destroy();
  child.unref();
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // Nothing of it is left.
  }
}
