import { closeSync, constants, openSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The id of the terminal session, the same for everything started from one terminal; undefined where /proc does not tell. */
function sessionId(): number | undefined {
  try {
    const afterName = readFileSync('/proc/self/stat', 'latin1').split(') ').at(-1) as string;
    return Number(afterName.split(' ')[3]);
  } catch {
    return undefined;
  }
}

/** Whether this is the first time in this terminal session. Markers go where they can; when nowhere, every time is the first. */
export function isFirstTime(marker: string, folder: string | undefined): boolean {
  const name = `${marker}-${sessionId() ?? 0}`;
  const places = [
    ...(folder === undefined ? [] : [join(folder, name)]),
    join(tmpdir(), `cordon-${process.getuid?.() ?? 0}-${name}`),
  ];
  for (const place of places) {
    const made = tryMark(place);
    if (made !== undefined) return made;
  }
  return true;
}

/** True: made now. False: it was there. Undefined: can't be made here. */
function tryMark(path: string): boolean | undefined {
  try {
    closeSync(openSync(path, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | constants.O_NOFOLLOW, 0o600));
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EEXIST' ? false : undefined;
  }
}
