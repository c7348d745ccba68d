import { readFileSync } from 'node:fs';

/** A process by its number and the time it was started: numbers are used again. */
function processMark(pid: number): string | undefined {
  try {
    const afterName = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1) as string;
    const fields = afterName.split(' ');
    // One that was killed and that nobody has waited for yet does nothing any more.
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : `${pid}-${fields[19]}`;
  } catch {
    return undefined;
  }
}

/** This process, as leftovers of it are told from those of others. */
export function ownMark(): string {
  own ??= processMark(process.pid) ?? `${process.pid}-0`;
  return own;
}

let own: string | undefined;

/** Whether the process that left this mark still runs. Undefined: it is no mark of ours. */
export function isRunning(mark: string): boolean | undefined {
  const pid = /^([1-9][0-9]{0,9})-[0-9]+$/.exec(mark)?.[1];
  return pid === undefined ? undefined : processMark(Number(pid)) === mark;
}
