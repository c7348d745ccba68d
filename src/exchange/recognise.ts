import { claude } from './from/claude.ts';
import { codex } from './from/codex.ts';
import { compose, devcontainer } from './from/containers.ts';
import { envFile } from './from/env-file.ts';
import { firejail } from './from/firejail.ts';
import { gemini } from './from/gemini.ts';
import type { Importer, ImportFormat, Input } from './from/importer.ts';
import { nono } from './from/nono.ts';
import { ag3ntum, ixt, names } from './from/small.ts';
import { srt } from './from/srt.ts';

/** In the order they are asked: what has words of its own first, what is only lines last. */
const IMPORTERS: readonly Importer[] = [
  codex,
  gemini,
  claude,
  srt,
  ixt,
  ag3ntum,
  devcontainer,
  compose,
  nono,
  firejail,
  envFile,
  names,
];

export const importerFor = (format: ImportFormat): Importer =>
  IMPORTERS.find((one) => one.format === format) as Importer;

/** All that a file could be: more than one is a mixed file, and somebody has to say. */
export function recognise(input: Pick<Input, 'path' | 'text' | 'data'>): Importer[] {
  const strong = IMPORTERS.filter((one) => one.recognises(input));
  const byLines = ['firejail', 'env-file', 'names'];
  const structured = strong.filter(({ format }) => !byLines.includes(format));
  return structured.length > 0 ? structured : strong.slice(0, 1);
}
