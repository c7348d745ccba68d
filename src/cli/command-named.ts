import { type Bytes, showBytes } from '../host/bytes.ts';
import { COMMANDS, type CommandEntry } from './commands.ts';
import { usageError } from './flags.ts';
import { nearest } from './nearest.ts';

/** The entry of a command; `unknown` says what is wrong otherwise, `instead` what stands before the name that may be meant. */
export function commandNamed(name: Bytes, unknown: string, instead: string): CommandEntry {
  const command = COMMANDS.find((entry) => entry.name === name);
  if (command !== undefined) return command;
  const names = COMMANDS.map((entry) => entry.name);
  const near = nearest(name, names);
  const hint = near === undefined ? 'see cordon --help' : `did you mean ${instead} ${near}?`;
  throw usageError(`${unknown} '${showBytes(name)}'`, hint);
}
