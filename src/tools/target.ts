import { statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { type Bytes, bufferOfBytes, bytesOfBuffer, bytesOfText, showBytes, textOfBytes } from '../host/bytes.ts';
import { CordonError, EXIT } from '../host/errors.ts';
import { headOf, realBytesOf } from '../host/files.ts';
import { findCommand } from '../host/folders.ts';
import type { ParentEnv } from '../host/parent-env.ts';
import { isShimHead } from './bin-entry.ts';
import { checkName } from './name.ts';

export interface ToolTarget {
  readonly name: string;
  /** Absolute, and as it was found: symbolic links are left in it, since programs look at the name they are started by. */
  readonly path: Bytes;
}

/** The command a word stands for, never one of our own shims: a shim must not start itself. */
export function findTarget(word: Bytes, env: ParentEnv, bin: string): ToolTarget {
  const name = nameOf(word);
  checkName(name);
  const path = word.includes('/') ? absolute(word) : absolute(onPath(word, env, bin));
  refuseUnrunnable(path, bin);
  return { name, path };
}

export function isRunnableTarget(path: Bytes): boolean {
  return statOrUndefined(path)?.isFile() === true;
}

export function nameOf(word: Bytes): string {
  const name = textOfBytes(basename(word) as Bytes);
  if (name === undefined) throw new CordonError('usage', `the name of a tool must be UTF-8: ${showBytes(word)}`);
  return name;
}

function onPath(name: Bytes, env: ParentEnv, bin: string): Bytes {
  try {
    return findCommand(name, env, (folder) => isOwn(join(folder === '' ? '.' : folder, name) as Bytes, bin));
  } catch (error) {
    if (!(error instanceof CordonError) || error.exitCode !== EXIT.notFound) throw error;
    throw new CordonError('not-found', `'${showBytes(name)}' is not installed: it is in no folder of PATH`, {
      hint: 'install it first, or give its path: cordon tool add /path/to/it',
      exitCode: EXIT.notFound,
    });
  }
}

const absolute = (path: Bytes) => (isAbsolute(path) ? path : (resolve(bytesOfText(process.cwd()), path) as Bytes));

function refuseUnrunnable(path: Bytes, bin: string): void {
  const shown = showBytes(path);
  if (statOrUndefined(path)?.isDirectory())
    throw notRunnable(`${shown} is a folder, not a command`, 'give the path of the command in it');
  findCommand(path, NOWHERE);
  if (isOwn(path, bin))
    throw notRunnable(`${shown} is one of Cordon's own shims`, 'give the path of the command behind it');
  if (needsShell(beginningOf(path, 256)))
    throw notRunnable(
      `${shown} is a script without a #! line, which only a shell could run`,
      'write #!/bin/sh as its first line',
    );
}

/** A path with a slash is looked up nowhere. */
const NOWHERE = { get: () => undefined } as unknown as ParentEnv;

function notRunnable(message: string, hint: string): CordonError {
  return new CordonError('not-runnable', message, { hint, exitCode: EXIT.notRunnable });
}

/** Whatever has NUL bytes is a binary that the kernel may know how to start. */
function needsShell(head: Bytes): boolean {
  return !head.startsWith('#!') && !head.includes('\0');
}

/** In our bin folder, or linked or copied from there. */
function isOwn(path: Bytes, bin: string): boolean {
  const folder = realBytesOf(bytesOfText(bin));
  const real = realBytesOf(path);
  return real !== undefined && (dirname(real) === folder || isShimHead(beginningOf(real, 512)));
}

function beginningOf(path: Bytes, length: number): Bytes {
  try {
    return bytesOfBuffer(headOf(bufferOfBytes(path), length, 'followed'));
  } catch {
    // A program may be runnable without being readable.
    return '\0' as Bytes;
  }
}

function statOrUndefined(path: Bytes) {
  try {
    return statSync(bufferOfBytes(path), { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
