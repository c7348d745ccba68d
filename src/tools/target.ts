import { realpathSync, statSync } from 'node:fs';
import { basename, delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import {
  type Bytes,
  bufferOfBytes,
  bytesOfBuffer,
  bytesOfText,
  showBytes,
  showText,
  textOfBytes,
} from '../host/bytes.ts';
import { CordonError, EXIT } from '../host/errors.ts';
import { headOf, realBytesOf } from '../host/files.ts';
import { findCommand } from '../host/folders.ts';
import type { ParentEnv } from '../host/parent-env.ts';
import { isShimHead } from './bin-entry.ts';

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

/** Whether a name can be that of a file in the bin folder. */
export function nameProblem(name: string): string | undefined {
  if (name === '' || name === '.' || name === '..') return 'a file cannot be called so';
  if (name.includes('/')) return 'it has a / in it';
  if (/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u.test(name)) return 'it has control characters in it';
  if (name.startsWith('-') || name.startsWith('.')) return `it begins with ${name[0]}`;
  if (Buffer.byteLength(name) > 200) return 'it is too long';
  return name === 'cordon' ? 'a policy on Cordon itself would lock it out of its own files' : undefined;
}

export function checkName(name: string): void {
  const problem = nameProblem(name);
  if (problem !== undefined) throw new CordonError('usage', `'${name}' cannot be a tool: ${problem}`);
}

/** Why typing a tool's name would not start its shim; undefined when it would. */
export function shadowOfBin(env: ParentEnv, bin: string, names: readonly string[] = []): string | undefined {
  const folders = (textOfBytes(env.get(bytesOfText('PATH')) ?? bytesOfText('')) ?? '').split(delimiter);
  const at = folders.findIndex((folder) => realOf(folder) === realOf(bin));
  if (at === -1) return `${showText(bin)} is not on PATH, so the shims are not found`;
  const shadowed = names.flatMap((name) => {
    const before = folders.slice(0, at).find((folder) => isRunnableTarget(bytesOfText(join(folder, name))));
    return before === undefined ? [] : [`${name} (by ${join(before, name)})`];
  });
  return shadowed.length === 0
    ? undefined
    : `shims are shadowed by what comes earlier on PATH: ${shadowed.map(showText).join(', ')}`;
}

function realOf(folder: string): string | undefined {
  try {
    return realpathSync(folder);
  } catch {
    return folder === '' ? undefined : folder;
  }
}
