import type { Context } from '../context.ts';

const WIDTH = 24;

/** A bar that fills, on a terminal only. */
export function progressBar({ err }: Pick<Context, 'err'>) {
  const write = process.stderr.isTTY === true ? err : () => undefined;
  return {
    show: (done: number, all: number, what: string) => {
      const filled = all === 0 ? WIDTH : Math.round((done / all) * WIDTH);
      write(`\r\x1b[K[${'█'.repeat(filled)}${'░'.repeat(WIDTH - filled)}] ${what}`);
    },
    clear: () => write('\r\x1b[K'),
  };
}
