import { lstatSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type Bytes, bytesOfBuffer } from '../host/bytes.ts';
import { bytesOfField } from '../plan/plan.ts';

/** What stands in the bin folder under a tool's name. A link and a shim both say where the real tool is: that is where its path is pinned. */
export type BinEntry =
  | { readonly kind: 'absent' }
  | { readonly kind: 'link'; readonly path: Bytes }
  | { readonly kind: 'shim'; readonly path: Bytes; readonly text: Bytes }
  /** A shim of a tool that runs in a container: which program that is, the image says. */
  | { readonly kind: 'inside'; readonly text: Bytes }
  | { readonly kind: 'foreign' };

export function readBinEntry(bin: string, name: string): BinEntry {
  const path = join(bin, name);
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return { kind: 'absent' };
  if (stats.isSymbolicLink()) return { kind: 'link', path: bytesOfBuffer(readlinkSync(path, 'buffer')) };
  return stats.isFile() ? readShim(path) : { kind: 'foreign' };
}

function readShim(path: string): BinEntry {
  const text = bytesOfBuffer(readFileSync(path));
  if (!isShimHead(text)) return { kind: 'foreign' };
  if (text.includes(INSIDE_LINE)) return { kind: 'inside', text };
  const command = /^command (\S+)$/m.exec(text)?.[1];
  return command === undefined ? { kind: 'foreign' } : { kind: 'shim', path: bytesOfField(command), text };
}

/** What a shim of a tool in a container has among its lines, and no other. */
export const INSIDE_LINE = '\n# in a container: Cordon starts it\n';

const LAUNCHER_LINE = /^#!\/[^\n]*\/cordon-launch\n/;

export function isShimHead(text: string): boolean {
  return LAUNCHER_LINE.test(text);
}

/** The program that runs the shim. */
export function interpreterOf(text: Bytes): Bytes {
  return text.slice(2, text.indexOf('\n')) as Bytes;
}
