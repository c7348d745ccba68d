import { rmSync, statSync, writeFileSync } from 'node:fs';
import { CordonError } from '../../host/errors.ts';
import { realPathOf, replaceFile } from '../../host/files.ts';

/** Whether the file could be written, told by doing so beside it. */
export function tryPlace(path: string): void {
  explained(path, () => {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found !== undefined && !found.isFile()) throw notAFile(path);
    const fresh = `${realPathOf(path)}.${process.pid}`;
    writeFileSync(fresh, '', { flag: 'wx' });
    rmSync(fresh);
  });
}

/** Whoever looks at it meanwhile has the old one. A link stays one. */
export function writePage(path: string, text: string): void {
  explained(path, () => replaceFile(realPathOf(path), text, 0o666));
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
