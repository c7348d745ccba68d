import { DONE, leaked, planted, tried } from './attempt.ts';
import type { Ground } from './ground.ts';
import type { Launcher } from './launchers.ts';
import type { TrialOutcome } from './outcome.ts';
import type { Probe } from './probe.ts';
import type { Scene } from './scene.ts';
import { showText } from './show-text.ts';

/** `open`: it leaked, and the policy does not promise to hold it. */
export type Status = 'leaked' | 'open' | 'blocked' | 'not applicable';

export interface Cell {
  readonly status: Status;
  /** Why it can't be tried, or why it is open. */
  readonly reason?: string;
}

export interface TrialLimits {
  /** For one attempt, from planting to its end. */
  readonly trialMs: number;
  /** Told to stop: time is up, or the user wants no more. */
  readonly signal: AbortSignal;
}

export const notApplicable = (reason: string): Cell => ({ status: 'not applicable', reason });

export const STOPPED = notApplicable('not tried: there was no time left');

/** One probe under one launcher, in a scene of its own. */
export async function tryOut(probe: Probe, launcher: Launcher, ground: Ground, limits: TrialLimits): Promise<Cell> {
  if (limits.signal.aborted) return STOPPED;
  const scene = ground.open();
  const work = carryOut(probe, launcher, scene).catch((error: unknown) => notApplicable(problemOf(error, scene)));
  const end = ending(limits);
  try {
    return await Promise.race([work, end.reached]);
  } finally {
    end.forget();
    await ground.end(scene);
  }
}

async function carryOut(probe: Probe, launcher: Launcher, scene: Scene): Promise<Cell> {
  const reason = probe.inapplicable?.(scene);
  if (reason !== undefined) return notApplicable(reason);
  const attempt = await planted(probe, scene);
  const outcome = await tried(attempt, launcher.start(attempt));
  if (leaked(probe, scene, outcome)) return { status: 'leaked' };
  return ranToItsEnd(probe, scene, outcome) ? { status: 'blocked' } : notApplicable(failureOf(outcome, scene));
}

const NOT_STARTED: readonly number[] = [125, 126, 127];

/** A program that is no script of ours says nothing at its end; a launcher that can't start it ends with one of these codes. */
function ranToItsEnd(probe: Probe, scene: Scene, { code, stdout }: TrialOutcome): boolean {
  if (!('argv' in probe.trial(scene))) return stdout.includes(DONE);
  return code !== null && !NOT_STARTED.includes(code);
}

/** Reached when the attempt has taken too long, or is not wanted any more. */
function ending({ trialMs, signal }: TrialLimits): { reached: Promise<Cell>; forget: () => void } {
  const late = notApplicable(`took longer than ${trialMs / 1000} s`);
  let resolve: (cell: Cell) => void = () => undefined;
  const reached = new Promise<Cell>((settle) => {
    resolve = settle;
  });
  const stop = () => resolve(STOPPED);
  const timer = setTimeout(() => resolve(late), trialMs);
  signal.addEventListener('abort', stop);
  const forget = () => {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  };
  return { reached, forget };
}

/** The launcher's own words where it said any: of Cordon's, the message and not the hint below it. */
function failureOf({ code, stderr }: TrialOutcome, scene: Scene): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  const said = lines.findLast((line) => line.startsWith('cordon: ')) ?? lines.at(-1);
  return safe(said ?? `ended with exit code ${code ?? 'of a signal'} before the probe was done`, scene);
}

const problemOf = (error: unknown, scene: Scene) =>
  safe(error instanceof Error ? error.message : 'it could not be prepared', scene);

const LONGEST = 200;

/** No stand-in value is ever shown, in no form that a program might print it in, nor where the scene was. */
function safe(text: string, { canary, home }: Scene): string {
  const forms = [canary, ...(['hex', 'base64'] as const).map((form) => Buffer.from(canary).toString(form))];
  const clean = forms.reduce((now, form) => now.replaceAll(form, '***'), text).replaceAll(home, '~');
  const shown = showText(clean.trim());
  return shown.length > LONGEST ? `${shown.slice(0, LONGEST - 1)}…` : shown;
}
