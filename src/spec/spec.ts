import { createHash } from 'node:crypto';
import type { SandboxEnv } from './filter.ts';
import type { SandboxException } from './options.ts';

/** A folder or file of this machine, and where it is inside. */
export interface SandboxMount {
  readonly source: string;
  readonly target: string;
  readonly access: 'read-only' | 'read-write';
}

/** What a sandbox is to run, and with what. Plain data, frozen; `SandboxSpecBuilder` makes it. */
export interface SandboxSpec {
  readonly version: 1;
  readonly image: string | undefined;
  readonly command: readonly string[];
  readonly workdir: string;
  readonly network: 'on' | 'off';
  readonly mounts: readonly SandboxMount[];
  readonly env: SandboxEnv;
  /** What this spec added to the static allowlist. */
  readonly addedToAllowlist: readonly string[];
  /** Names let through although a denied word is in them, with the reason. */
  readonly exceptions: readonly SandboxException[];
  /** SHA-256 of all the above: equal specs have equal hashes on every machine. */
  readonly hash: string;
}

export function hashSpec(spec: Omit<SandboxSpec, 'hash'>): string {
  return `sha256:${createHash('sha256').update(canonicalJson(spec)).digest('hex')}`;
}

/** JSON without choice: keys in code unit order, no white space, absent fields left out. */
function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  const sorted = fields.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${sorted.map(([key, field]) => `${JSON.stringify(key)}:${canonicalJson(field)}`).join(',')}}`;
}
