import { readSync, type Stats } from 'node:fs';
import { basename, extname } from 'node:path';
import { CordonError } from '../host/errors.ts';
import { type Links, reading } from '../host/files.ts';
import { EXTENSIONS, type Loaded } from '../policy/load/load.ts';
import { entryOf, type Node } from '../policy/load/node.ts';
import { Source } from '../policy/load/source.ts';
import type { Kind } from './kinds/kind.ts';

/** What a person wrote is shorter; whatever is longer is no file of these kinds. */
const LONGEST = 1024 * 1024;

interface FileText {
  readonly text: string;
  /** The byte order mark before the text, which is no part of it. */
  readonly mark: string;
  readonly stats: Stats;
}

/** The text of a file that is only looked at: who else could write it does not matter here, since nothing is done by it. */
export function readText(path: string, links: Links = 'followed'): FileText {
  const look = (descriptor: number, stats: Stats) => {
    if (!stats.isFile())
      throw refusal(path, `is ${kindOf(stats)}`, NO_FILE_HINTS[kindOf(stats)] ?? 'give a regular file');
    const { data, whole } = readUpTo(descriptor, LONGEST);
    if (!whole) throw tooLarge(path);
    const text = decode(path, data);
    const mark = text.startsWith(MARK) ? MARK : '';
    return { text: text.slice(mark.length), mark, stats };
  };
  return reading(path, links, look, (code) => cannotOpen(path, code));
}

const MARK = '\uFEFF';

interface Start {
  readonly data: Buffer;
  readonly whole: boolean;
}

/**
 * How a regular file begins, undefined for everything else: a repository may hold links to devices and pipes. Files of the
 * kernel say that they are empty, and some have no end.
 */
export function startOf(path: string, most = LONGEST): Start | undefined {
  try {
    return reading(path, 'followed', (descriptor, stats) =>
      stats.isFile() ? readUpTo(descriptor, Math.min(most, Math.max(stats.size, LONGEST))) : undefined,
    );
  } catch {
    return undefined;
  }
}

function cannotOpen(path: string, code: string): CordonError {
  const [what, hint] = OPEN_PROBLEMS[code] ?? [`cannot be opened (${code})`, 'check the path, its owner and mode'];
  return refusal(path, what, hint);
}

const OPEN_PROBLEMS: Readonly<Record<string, readonly [string, string]>> = {
  ENOENT: ['does not exist', 'check the path'],
  ENOTDIR: ['does not exist', 'a part of its path is not a folder'],
  EACCES: ['may not be read', 'check its owner and mode, and those of the folders above'],
  ELOOP: ['is a link that leads nowhere but to itself', 'check where the link points'],
  ENXIO: ['is a socket', 'give a regular file'],
  ENAMETOOLONG: ['has a name that is too long', 'check the path'],
};

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return 'a folder';
  if (stats.isFIFO()) return 'a FIFO';
  return stats.isCharacterDevice() || stats.isBlockDevice() ? 'a device' : 'not a regular file';
}

const NO_FILE_HINTS: Readonly<Record<string, string>> = {
  'a folder': 'name the files in it, or run cordon check without a file inside it',
};

function readUpTo(descriptor: number, most: number): Start {
  const chunks: Buffer[] = [];
  for (let length = 0; length <= most; ) {
    const chunk = Buffer.alloc(65_536);
    const count = readSync(descriptor, chunk, 0, chunk.length, null);
    if (count === 0) return { data: Buffer.concat(chunks), whole: true };
    chunks.push(chunk.subarray(0, count));
    length += count;
  }
  return { data: Buffer.concat(chunks).subarray(0, most), whole: false };
}

const tooLarge = (path: string) =>
  refusal(path, `is larger than ${LONGEST / 1024 / 1024} MiB`, 'nobody wrote that by hand; is it the right file?');

function decode(path: string, data: Buffer): string {
  if (data.includes(0))
    throw refusal(path, 'is a binary file', 'check reads text: JSON, TOML, YAML, Dockerfiles, lists');
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(data);
  } catch {
    throw refusal(path, 'is not UTF-8 text', 'save it as UTF-8');
  }
}

function refusal(path: string, what: string, hint: string): CordonError {
  return new CordonError('check', `the file ${what}`, { where: path, hint });
}

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

/** By the name alone, which is how other programs find these files too. */
export function kindByName(path: string): Kind | undefined {
  const name = basename(path).toLowerCase();
  return BY_NAME.find(([pattern, , full]) => pattern.test(full === true ? path : name))?.[1];
}

const BY_NAME: readonly (readonly [RegExp, Kind, true?])[] = [
  [/^cordon\.toml$/, 'config'],
  [/^secrets\.ya?ml$/, 'secrets'],
  [/(?:^|\/)\.github\/workflows\/[^/]+\.ya?ml$/, 'workflow', true],
  [/^action\.ya?ml$/, 'workflow'],
  [/^(?:dockerfile|containerfile)(?:\..*)?$|\.(?:dockerfile|containerfile)$/, 'dockerfile'],
  [/^(?:\.mcp|mcp)\.json$|^devcontainer\.json$|^\.devcontainer\.json$|^\.gitlab-ci\.ya?ml$/, 'settings'],
  [
    /(?:^|\/)\.(?:claude|gemini|qwen|cursor|vscode|codex)\/(?:settings(?:\.local)?|mcp|config)\.(?:json|toml)$/,
    'settings',
    true,
  ],
  [/^(?:package|composer)\.json$/, 'package'],
  [/^kustomization\.ya?ml$/, 'manifest'],
  [/^(?:docker-)?compose(?:[.-].*)?\.ya?ml$/, 'compose'],
  [/^\.env(?:\..*)?$|\.env$/, 'env-list'],
  [/allow-?list[^/]*\.(?:jsonc?|toml|ya?ml|txt)$/, 'allowlist'],
];

const BY_KEY: readonly (readonly [string, Kind])[] = [
  ['jobs', 'workflow'],
  ['runs', 'workflow'],
  ['services', 'compose'],
  ['sandboxed_envs', 'secrets'],
  ['tools', 'config'],
  ['agents', 'config'],
  ['roles', 'config'],
  ['addToAllowlist', 'allowlist'],
];

const isManifest = (node: Node | undefined) =>
  entryOf(node, 'apiVersion') !== undefined && entryOf(node, 'kind') !== undefined;

/** By what is in it: a profile is what is left of JSON, TOML and YAML. */
export function kindByContent(path: string, root: Node | undefined): Kind | undefined {
  if (!EXTENSIONS.includes(extname(path).toLowerCase())) return undefined;
  if ((root?.kind === 'list' ? root.items : [root]).some(isManifest)) return 'manifest';
  return BY_KEY.find(([key]) => entryOf(root, key) !== undefined)?.[1] ?? 'profile';
}
