import { basename, extname } from 'node:path';
import { EXTENSIONS } from '../policy/load/load.ts';
import { entryOf, type Node } from '../policy/load/node.ts';
import type { Kind } from './kinds/kind.ts';

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
