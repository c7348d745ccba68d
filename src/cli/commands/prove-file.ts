import { realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { CordonError } from '../../host/errors.ts';

/** Whether the file could be written, told by doing so beside it. */
export function tryPlace(path: string): void {
  explained(path, () => {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found !== undefined && !found.isFile()) throw notAFile(path);
    const fresh = besides(path);
    writeFileSync(fresh, '', { flag: 'wx' });
    rmSync(fresh);
  });
}

/** Whole or not at all: whoever looks at it meanwhile has the old one. */
export function replaceFile(path: string, text: string): void {
  explained(path, () => {
    const fresh = besides(path);
    try {
      writeFileSync(fresh, text, { flag: 'wx' });
      renameSync(fresh, targetOf(path));
    } finally {
      rmSync(fresh, { force: true });
    }
  });
}

const besides = (path: string) => `${targetOf(path)}.${process.pid}`;

/** A link stays one. */
function targetOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function explained(path: string, work: () => void): void {
  try {
    work();
  } catch (cause) {
    if (cause instanceof CordonError) throw cause;
    throw new CordonError('write', `the page cannot be written there (${(cause as NodeJS.ErrnoException).code})`, {
      where: path,
      hint: 'give --html a file in a folder that is there and that you may write to',
      cause,
    });
  }
}

const notAFile = (path: string) =>
  new CordonError('write', 'there is something else than a file', { where: path, hint: 'give --html another name' });
