import type { Ground } from './ground.ts';

const ENDING = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/** The user wants no more; what was planted is gone. */
export class Interrupted extends Error {
  readonly exitCode: number;

  constructor(exitCode: number) {
    super('interrupted');
    this.exitCode = exitCode;
  }
}

/** Works there until it is done or told to stop, and leaves nothing behind either way. */
export async function onGround<T>(ground: Ground, work: (stop: AbortController) => Promise<T>): Promise<T> {
  const stop = new AbortController();
  let told: number | undefined;
  const listen = (signal: NodeJS.Signals) => {
    told ??= ENDING[signal as keyof typeof ENDING];
    stop.abort();
  };
  for (const signal of Object.keys(ENDING)) process.on(signal, listen);
  try {
    const result = await work(stop).catch((error: unknown) => {
      if (told === undefined) throw error;
    });
    if (told !== undefined) throw new Interrupted(told);
    return result as T;
  } finally {
    await ground.close();
    for (const signal of Object.keys(ENDING)) process.off(signal, listen);
  }
}
