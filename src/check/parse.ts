import { extname } from 'node:path';
import { EXTENSIONS, type Loaded } from '../policy/load/load.ts';
import type { Node } from '../policy/load/node.ts';
import { Source } from '../policy/load/source.ts';
import type { Kind } from './kinds/kind.ts';
import { readText } from './read.ts';

const USUAL_SYNTAX: Readonly<Partial<Record<Kind, string>>> = {
  profile: '.json',
  config: '.toml',
  secrets: '.yaml',
  workflow: '.yaml',
  compose: '.yaml',
  manifest: '.yaml',
  settings: '.json',
  package: '.json',
};

/** JSON, TOML or YAML by the extension, else by what the kind is usually written in; undefined for other files. */
export async function parseText(path: string, source: Source, kind?: Kind): Promise<Node | undefined> {
  const given = extname(path).toLowerCase();
  const extension = EXTENSIONS.includes(given) ? given : USUAL_SYNTAX[kind ?? 'dockerfile'];
  if (extension === '.json' || extension === '.jsonc')
    return (await import('../policy/load/jsonc.ts')).readJsonc(source);
  if (extension === '.toml') return (await import('../policy/load/toml.ts')).readToml(source);
  if (extension === '.yaml' || extension === '.yml')
    return (await import('../policy/load/yaml.ts')).readYaml(source, {
      foreignTags: true,
      documents: kind === undefined || kind === 'manifest',
    });
  return undefined;
}

export async function parseFile(path: string): Promise<Loaded> {
  const source = new Source(path, readText(path).text);
  return { source, root: (await parseText(path, source)) ?? NOTHING };
}

const NOTHING: Node = { kind: 'map', entries: [], place: { start: 0, end: 1 } };
