import { realpathSync } from 'node:fs';
import { basename } from 'node:path';
import { type Bytes, bufferOfBytes, bytesOfBuffer, bytesOfText } from '../host/bytes.ts';

/** Programs that look themselves up on PATH by the name they were started with, to find their own libraries beside them. */
const FIND_THEMSELVES = [
  /^(python|pypy)\d*(\.\d+)*[a-z]?$/,
  /(^|-)(gcc|g\+\+|cpp|gfortran|gnat|gdc|gcov|ld|as|gdb)(-\d+(\.\d+)*)?$/,
  /^(tclsh|wish)\d*(\.\d+)*$/,
  /^(e|p|up|xe|lua|luahb)?(la)?tex$|^(pdf|lua|xe)(la)?tex$|^(bibtex|biber|dvips|kpsewhich|mf|mpost)$/,
  /^emacs/,
];

/**
 * What the tool finds as its own name: that of the command, which it shows in its messages. A program that finds its files by it would
 * find the shim, and gets its path instead.
 */
export function nameToRunBy(name: string, command: Bytes): Bytes {
  const real = basename(realOf(command));
  return FIND_THEMSELVES.some((pattern) => pattern.test(real)) ? command : bytesOfText(name);
}

function realOf(path: Bytes): string {
  try {
    return bytesOfBuffer(realpathSync(bufferOfBytes(path), 'buffer'));
  } catch {
    return path;
  }
}
