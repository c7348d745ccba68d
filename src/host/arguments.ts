import { readFileSync } from 'node:fs';
import { type Bytes, bytesOfBuffer, bytesOfText } from './bytes.ts';
import { frontDescriptor } from './parent-env.ts';

/** The arguments after the program's name, byte for byte: Node's own copy has lost what is not UTF-8. */
export function captureArguments(): Bytes[] {
  const decoded = process.argv.slice(2);
  if (process.platform !== 'linux') return decoded.map(bytesOfText);
  const owner = frontDescriptor() === undefined ? 'self' : String(process.ppid);
  const all = bytesOfBuffer(readFileSync(`/proc/${owner}/cmdline`))
    .split('\0')
    .slice(0, -1) as Bytes[];
  return decoded.length === 0 ? [] : all.slice(-decoded.length);
}
