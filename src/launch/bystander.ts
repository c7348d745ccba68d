import { type ChildProcess, spawn } from 'node:child_process';
import { emptyEnvironment } from './spawn-options.ts';

export type Bystander = ChildProcess;

export interface BystanderOptions {
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
 * It holds stand-ins only: `cordon prove` is the one that asks, with an environment made up from nothing.
 */
export function startBystander(argv: readonly string[], options: BystanderOptions): Bystander {
  const [program = '', ...args] = argv;
  const { cwd, uid, gid } = options;
  return spawn(program, args, {
    cwd,
    ...(uid === undefined || uid === process.getuid?.() ? {} : { uid, gid }),
    env: Object.assign(emptyEnvironment(), options.env),
    stdio: ['pipe', 'pipe', 'pipe', ...(options.extraPipe === true ? (['pipe'] as const) : [])],
    // A session of its own: what a probe sends to its group must not reach us.
    detached: true,
  });
}
