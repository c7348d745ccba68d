import type { Bytes } from '../host/bytes.ts';
import { CordonError } from '../host/errors.ts';
import { textIn } from '../host/files.ts';
import type { CommandEntry } from './commands.ts';

/** In a sandbox Cordon's own folders are empty, and what is written to them is lost with it: an answer would be untrue, and a secret gone. */
export function refuseInside({ name, keptOutside }: CommandEntry, args: readonly Bytes[]): void {
  if (keptOutside === undefined || !isInside()) return;
  const { what, words } = keptOutside;
  const action = words?.find((word) => args[0] === word);
  if (words !== undefined && action === undefined) return;
  const command = ['cordon', name, ...(action === undefined ? [] : [action])].join(' ');
  throw new CordonError(
    'inside',
    `${command} does nothing inside a sandbox of Cordon: ${what} cannot be reached here`,
    {
      hint: 'leave the sandbox first (exit), and do it outside',
    },
  );
}

/** As native/src/protocol.h calls the first process of every sandbox. */
const isInside = () => textIn('/proc/1/comm') === 'cordon-inner\n';
