import { extname } from 'node:path';
import type { Node } from './node.ts';
import { refuse } from './problems.ts';
import { readPolicyFile } from './read-file.ts';
import { Source } from './source.ts';

export interface Loaded {
  readonly source: Source;
  readonly root: Node;
}

type Reader = (source: Source) => Node;

/** The syntax goes by the extension; a parser is loaded when a file needs it. */
const READERS: Readonly<Record<string, () => Promise<Reader>>> = {
  '.json': async () => (await import('./jsonc.ts')).readJsonc,
  '.jsonc': async () => (await import('./jsonc.ts')).readJsonc,
  '.toml': async () => (await import('./toml.ts')).readToml,
  '.yaml': async () => (await import('./yaml.ts')).readYaml,
  '.yml': async () => (await import('./yaml.ts')).readYaml,
};

export const EXTENSIONS: readonly string[] = Object.keys(READERS);

export async function loadFile(path: string): Promise<Loaded> {
  const source = new Source(path, readPolicyFile(path));
  const reader = READERS[extname(path).toLowerCase()];
  if (reader === undefined)
    return refuse(source, { path: '' }, `policy files end in ${EXTENSIONS.join(', ')}`, { hint: 'rename it' });
  return { source, root: (await reader())(source) };
}
