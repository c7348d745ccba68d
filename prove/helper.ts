import { type ChildProcess, spawn } from 'node:child_process';

export type Helper = ChildProcess;

export interface HelperOptions {
  /** The whole environment it gets. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Another user than ourselves, which only root can ask for. */
  readonly uid?: number | undefined;
  readonly gid?: number | undefined;
  /** A pipe at descriptor 3 as well. */
  readonly extraPipe?: boolean;
}

/**
 * Starts a process outside of every sandbox: what a probe wants to spy on, or the shell that a launcher is started from.
 * It holds stand-ins only, in an environment made up from nothing.
 */
export function startHelper(argv: readonly string[], options: HelperOptions): Helper {
  const [program = '', ...args] = argv;
  const { cwd, uid, gid } = options;
  return spawn(program, args, {
    cwd,
    ...(uid === undefined || uid === process.getuid?.() ? {} : { uid, gid }),
    // No prototype to be polluted; and Node adds NODE_V8_COVERAGE from its own environment where the key is not taken.
    env: Object.assign(Object.create(null), { NODE_V8_COVERAGE: undefined }, options.env),
    stdio: ['pipe', 'pipe', 'pipe', ...(options.extraPipe === true ? (['pipe'] as const) : [])],
    // A session of its own: what a probe sends to its group must not reach us.
    detached: true,
  });
}

/** Ends a process that leads a group, and all of the group, whatever it started. What got away and holds its output must not keep us waiting. */
export function endGroup(child: Helper): void {
  for (const stream of child.stdio) stream?.destroy();
  child.unref();
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // Nothing of it is left.
  }
}
