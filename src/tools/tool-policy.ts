import { showBytes } from '../host/bytes.ts';
import type { Homes } from '../host/folders.ts';
import type { TOOL_BASES } from '../policy/config/shape.ts';
import type { ContainerTarget } from '../policy/container-target.ts';
import { type Expanded, expandPath, PLACE_WORDS, type PlaceWord } from '../policy/places.ts';
import {
  type AllowRule,
  DEFAULT_POLICY,
  type DenyRule,
  type FilesystemPolicy,
  type FsPreset,
  type Origin,
  type Policy,
  type WorkspacePolicy,
} from '../policy/policy.ts';
import { isNeverName } from '../policy/presets/presets.ts';

import { EMPTY_LAYER, type NetworkLayer } from '../policy/profile/layer.ts';
import { networkOf } from '../policy/profile/read-network.ts';

export type ToolBase = (typeof TOOL_BASES)[number];

/** What `[tools.NAME]` says. */
export interface ToolPolicy {
  readonly name: string;
  readonly base: { readonly preset: ToolBase; readonly origin: Origin };
  readonly allow: readonly AllowRule[];
  readonly deny: readonly DenyRule[];
  readonly fs: ToolFilesystem;
  readonly network: NetworkLayer;
  /** Where its program is and runs, when not on this machine. */
  readonly in?: ContainerTarget | undefined;
}

/** Paths as they are written: absolute, or beginning with `~/` or `$HOME/`. */
export interface ToolFilesystem extends Readonly<Record<PlaceWord, readonly string[]>> {
  readonly preset: FsPreset;
  readonly workspace: WorkspacePolicy;
  readonly warnings: readonly string[];
}

/** What a tool's paths may begin with. A shim is written once and started in any folder, so `$WORKDIR` stands for nothing. */
export function expandToolPath(path: string, { home, passwdHome }: Homes): Expanded {
  return expandPath(path, { home: home ?? passwdHome, workdir: undefined });
}

export function withoutPolicy(name: string): ToolPolicy {
  return {
    name,
    base: { preset: 'all', origin: 'default base' },
    allow: [],
    deny: [],
    fs: { preset: 'all', write: [], read: [], hide: [], expose: [], workspace: { mode: 'real' }, warnings: [] },
    network: EMPTY_LAYER.network,
  };
}

export function hasEnvPolicy({ base, allow, deny }: ToolPolicy): boolean {
  return base.preset !== 'all' || allow.length > 0 || deny.length > 0;
}

export function hasFsPolicy({ fs }: ToolPolicy): boolean {
  const { folder, mode } = fs.workspace;
  const isWorkspaceSaid = folder !== undefined || mode !== 'real';
  return fs.preset !== 'all' || isWorkspaceSaid || PLACE_WORDS.some((word) => fs[word].length > 0);
}

export function hasNetworkPolicy({ network }: ToolPolicy): boolean {
  return networkOf(network).mode !== 'on';
}

export function hasPolicy(tool: ToolPolicy): boolean {
  return hasEnvPolicy(tool) || hasFsPolicy(tool) || hasNetworkPolicy(tool) || tool.in !== undefined;
}

/** The tool's policy in the language of every launch. An env-only policy leaves the host's filesystem as it is. */
export function policyOf(tool: ToolPolicy, homes: Homes): Policy {
  return {
    ...DEFAULT_POLICY,
    origin: `tool ${tool.name}`,
    base: tool.base,
    allow: tool.allow,
    deny: tool.deny,
    filesystem: filesystemOf(tool, homes),
    network: networkOf(tool.network),
    warnings: toolWarnings(tool),
  };
}

function filesystemOf(tool: ToolPolicy, homes: Homes): FilesystemPolicy {
  const { preset, write, read, hide, expose, workspace } = tool.fs;
  // Without any home there is nothing that `~` could stand for.
  const expand = (paths: readonly string[]) =>
    paths.map((path) => expandToolPath(path, homes)).flatMap((expanded) => ('path' in expanded ? [expanded.path] : []));
  const [folder] = workspace.folder === undefined ? [] : expand([workspace.folder]);
  return {
    // An image is there in place of the host's filesystem, whether anything is said of that or not.
    preset: tool.in !== undefined && preset === 'all' ? 'guarded' : preset,
    explicit: hasFsPolicy(tool),
    write: expand(write),
    read: expand(read),
    hide: expand(hide),
    expose: expand(expose),
    show: [],
    workspace: { ...(folder === undefined ? {} : { folder }), mode: workspace.mode },
  };
}

export function toolWarnings({ allow, fs }: ToolPolicy): string[] {
  return [...uselessRules(allow), ...fs.warnings];
}

function uselessRules(allow: ToolPolicy['allow']): string[] {
  return allow
    .filter(({ pattern }) => pattern.exact && isNeverName(pattern.source))
    .map(
      ({ pattern, origin }) =>
        `allow ${showBytes(pattern.source)} (${origin}) does nothing: it is on the code-injection list, which no policy overrides`,
    );
}
