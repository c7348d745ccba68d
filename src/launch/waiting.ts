import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { isPlan, type LaunchPlan } from '../plan/plan.ts';
import { emptyEnvironment, exitOf, givePlan, type Launched, type LaunchResult } from './launch.ts';

/**
 * A launcher that was started ahead and waits for its plan, so that what takes long, entering a control group, is done by then.
 * It knows nothing yet, ends when this process does, and keeps nobody waiting for it.
 */
export class WaitingLauncher {
  readonly #child: ChildProcess;
  readonly #result: Promise<LaunchResult>;

  constructor(launcher: string) {
    this.#child = spawn(launcher, ['--plan-fd=3'], {
      cwd: '/',
      env: emptyEnvironment(),
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    });
    this.#result = exitOf(this.#child);
    this.#result.catch(() => undefined);
    this.#streams((stream) => stream.on('error', () => undefined));
    this.#child.unref();
    this.#streams((stream) => stream.unref());
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get isWaiting(): boolean {
    return this.#child.pid !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  start(plan: LaunchPlan): Launched {
    if (!isPlan(plan)) throw new TypeError('launch takes only a plan made by plan()');
    this.#child.ref();
    this.#streams((stream) => stream.ref());
    const hasStarted = givePlan(this.#child, plan);
    return { child: this.#child, result: this.#result, hasStarted };
  }

  async end(): Promise<void> {
    this.#child.ref();
    this.#child.kill('SIGKILL');
    this.#streams((stream) => stream.destroy());
    await this.#result.catch(() => undefined);
  }

  #streams(act: (stream: Socket) => void): void {
    for (const stream of this.#child.stdio) if (stream != null) act(stream as Socket);
  }
}
