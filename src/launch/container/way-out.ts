import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { bufferOfBytes } from '../../host/bytes.ts';
import { CordonError } from '../../host/errors.ts';
import { emptyEnvironment } from '../launch.ts';
import type { wayOut } from '../outside.ts';

/** What lets the connections of one container through. */
export interface WayOut {
  /** The container is gone: what it still has to write down is waited for. */
  readonly settle: () => Promise<void>;
  readonly end: () => void;
}

interface Opening {
  readonly launcher: string;
  /** Where it takes the listeners, once. */
  readonly path: string;
  readonly launch: string;
}

const PATIENCE_MS = 3000;

/**
 * A launcher on this machine is to the container what the supervisor is to a sandbox here: it gets the listeners that were made inside,
 * over a socket that is there for the start only, and starts the process outside at the first connection. It dies with this process.
 */
export async function openWayOut({ words, task }: ReturnType<typeof wayOut>, opening: Opening): Promise<WayOut> {
  const { launcher, path, launch } = opening;
  const child = spawn(launcher, [`--way-out=${path}`, String(process.pid), ...words, launch], {
    env: emptyEnvironment(),
    cwd: '/',
    // A terminal's signals are the command's.
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  const ended = once(child, 'exit').then(() => undefined);
  const pipe = child.stdio[3] as Socket;
  pipe.on('error', () => undefined);
  const told = bufferOfBytes(task);
  pipe.end(told, () => told.fill(0));
  const isReady = await Promise.race([once(pipe, 'data').then(() => true), ended.then(() => false)]);
  if (!isReady)
    throw new CordonError('launch', 'the process that lets connections through could not be started', {
      hint: `nothing was started; is there room for a socket in ${path}?`,
    });
  const end = () => void child.kill('SIGKILL');
  return {
    end,
    settle: async () => {
      const late = new AbortController();
      await Promise.race([ended, setTimeout(PATIENCE_MS, undefined, { signal: late.signal }).catch(() => undefined)]);
      late.abort();
      end();
    },
  };
}
