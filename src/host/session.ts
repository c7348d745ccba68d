import { closeSync, constants, openSync, readFileSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { namesIn } from './files.ts';

/** The terminal session, the same for everything started from one terminal: its id, which comes again one day, and when it began. */
function sessionId(): string {
  const session = statOf('self')[3] ?? '0';
  return `${session}-${statOf(session)[19] ?? '0'}`;
}

/** What /proc/PID/stat has behind the name of the program, which may hold anything; nothing where it does not tell. */
export function statOf(process: string | number): readonly string[] {
  try {
    return (readFileSync(`/proc/${process}/stat`, 'latin1').split(') ').at(-1) as string).split(' ');
  } catch {
    return [];
  }
}

/** Whether this is the first time in this terminal session. Markers go where they can; when nowhere, every time is the first. */
export function isFirstTime(marker: string, folder: string | undefined): boolean {
  const name = `${marker}-${sessionId()}`;
  const places = [
    ...(folder === undefined ? [] : [join(folder, name)]),
    join(tmpdir(), `cordon-${process.getuid?.() ?? 0}-${name}`),
  ];
  for (const place of places) {
    const made = tryMark(place);
    if (made === true && place === places.at(-1)) sweepMarkers(tmpdir());
    if (made !== undefined) return made;
  }
  return true;
}

/** Markers that sessions left behind which have ended; those of others, whoever names them so, stay. */
function sweepMarkers(folder: string): void {
  const marker = new RegExp(`^cordon-${process.getuid?.() ?? 0}-[a-z-]+-(\\d+)-(\\d+)$`);
  for (const name of namesIn(folder)) {
    const [, session = '', began] = marker.exec(name) ?? [];
    if (session !== '' && statOf(session)[19] !== began) tryUnlink(join(folder, name));
  }
}

function tryUnlink(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Somebody else's, or a folder: it is in nobody's way.
  }
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
