import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { withLockHeld } from '../host/lock.ts';

/** Who changes the log-in in a file takes turns with all others of Cordon's that do, whatever they were started for. */
export function inTurnAt<T>(locks: string, file: string, act: () => Promise<T>): Promise<T> {
  return withLockHeld(join(locks, `log-in-${createHash('sha256').update(file).digest('hex').slice(0, 32)}`), act);
}

/** Where no lock can be had, as on a full disk, it is done without: an agent that can't go on is worse than a race. */
export async function inTurnIfPossible<T>(locks: string, file: string, act: () => Promise<T>): Promise<T> {
  let isBegun = false;
  const begin = () => {
    isBegun = true;
    return act();
  };
  try {
    return await inTurnAt(locks, file, begin);
  } catch (error) {
    if (isBegun) throw error;
    return act();
  }
}
