import type { Context } from '../context.ts';

const WIDTH = 24;

export interface Bar {
  readonly show: (done: number, all: number) => void;
  readonly clear: () => void;
}

/** Only on a terminal. */
export function progressBar(context: Pick<Context, 'err'>): Bar {
  if (process.stderr.isTTY !== true) return { show: () => undefined, clear: () => undefined };
  return {
    show: (done, all) => {
      const filled = all === 0 ? WIDTH : Math.round((done / all) * WIDTH);
      context.err(`\r\x1b[K[${'█'.repeat(filled)}${'░'.repeat(WIDTH - filled)}] ${done} of ${all} probes`);
    },
    clear: () => context.err('\r\x1b[K'),
  };
}
