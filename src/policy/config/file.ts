import { type BigIntStats, existsSync } from 'node:fs';
import type { MapNode, Node } from '../load/node.ts';
import { Problems } from '../load/problems.ts';
import { readTrustedText } from '../load/read-file.ts';
import { Source } from '../load/source.ts';
import { readToml } from '../load/toml.ts';
import { check } from '../profile/shape.ts';
import { saysNothing } from './says-nothing.ts';
import { CONFIG } from './shape.ts';

export interface ConfigFile {
  readonly source: Source;
  readonly stats: BigIntStats;
}

/** The one reader of cordon.toml; what its sections mean is for those who ask for them. Undefined: there is no such file. */
export function readConfigFile(path: string): ConfigFile | undefined {
  if (!existsSync(path)) return undefined;
  const { text, file } = readTrustedText(path);
  return { source: new Source(path, text), stats: file };
}

/** Undefined where there is nothing in it, or only comments. */
export const sectionsIn = (source: Source): MapNode | undefined =>
  saysNothing(source.text) ? undefined : readToml(source);

/** All sections but the tools, of which each answers for itself when it is started. */
export function checkWithoutTools(root: Node, problems: Problems): void {
  const rest = root.kind === 'map' ? { ...root, entries: root.entries.filter(({ key }) => key !== 'tools') } : root;
  check(CONFIG, rest, problems);
}

/** Refuses a file in which anything but a tool is wrong. */
export function checkConfigFile(path: string): void {
  const source = readConfigFile(path)?.source;
  const root = source === undefined ? undefined : sectionsIn(source);
  if (source === undefined || root === undefined) return;
  const problems = new Problems(source);
  checkWithoutTools(root, problems);
  problems.throwIfAny();
}
