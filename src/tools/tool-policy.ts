import { isAbsolute, join } from 'node:path';
import { showBytes } from '../host/bytes.ts';
import type { Homes } from '../host/folders.ts';
import type { TOOL_BASES } from '../policy/config/shape.ts';
import { isNeverName } from '../policy/injection.ts';
import {
  type AllowRule,
  DEFAULT_POLICY,
  type DenyRule,
  type FilesystemPolicy,
  type FsPreset,
  type Origin,
  type Policy,
} from '../policy/policy.ts';

export type ToolBase = (typeof TOOL_BASES)[number];

/** What `[tools.NAME]` says. */
export interface ToolPolicy {
  readonly name: string;
  readonly base: { readonly preset: ToolBase; readonly origin: Origin };
  readonly allow: readonly AllowRule[];
  readonly deny: readonly DenyRule[];
  readonly fs: ToolFilesystem;
}

/** Paths as they are written: absolute, or beginning with `~/`. */
export interface ToolFilesystem {
  readonly preset: FsPreset;
  readonly ro: readonly string[];
  readonly rw: readonly string[];
  readonly hide: readonly string[];
}

export function withoutPolicy(name: string): ToolPolicy {
  return {
    name,
    base: { preset: 'all', origin: 'default base' },
    allow: [],
    deny: [],
    fs: { preset: 'all', ro: [], rw: [], hide: [] },
  };
}

export function hasEnvPolicy({ base, allow, deny }: ToolPolicy): boolean {
  return base.preset !== 'all' || allow.length > 0 || deny.length > 0;
}

export function hasFsPolicy({ fs }: ToolPolicy): boolean {
  return fs.preset !== 'all' || fs.ro.length + fs.rw.length + fs.hide.length > 0;
}

export function hasPolicy(tool: ToolPolicy): boolean {
  return hasEnvPolicy(tool) || hasFsPolicy(tool);
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
    warnings: uselessRules(tool),
  };
}

function filesystemOf(tool: ToolPolicy, homes: Homes): FilesystemPolicy {
  const { preset, ro, rw, hide } = tool.fs;
  const expand = (paths: readonly string[]) => paths.flatMap((path) => expandHome(path, homes));
  return {
    ...DEFAULT_POLICY.filesystem,
    preset,
    explicit: hasFsPolicy(tool),
    read: expand(ro),
    write: expand(rw),
    hide: expand(hide),
  };
}

/** Without any home there is nothing that `~` could stand for. */
function expandHome(path: string, { home, passwdHome }: Homes): string[] {
  if (isAbsolute(path)) return [path];
  const folder = home ?? passwdHome;
  return folder === undefined ? [] : [join(folder, path.slice(1))];
}

export function uselessRules({ allow }: ToolPolicy): string[] {
  return allow
    .filter(({ pattern }) => pattern.exact && isNeverName(pattern.source))
    .map(
      ({ pattern, origin }) =>
        `allow ${showBytes(pattern.source)} (${origin}) does nothing: it is on the code-injection list, which no policy overrides`,
    );
}
