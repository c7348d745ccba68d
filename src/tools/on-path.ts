import { realpathSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { bytesOfText, showText, textOfBytes } from '../host/bytes.ts';
import type { ParentEnv } from '../host/parent-env.ts';
import { isRunnableTarget } from './target.ts';

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
