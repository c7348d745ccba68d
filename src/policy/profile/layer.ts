import type { Bytes } from '../../host/bytes.ts';
import type { HostRule } from '../network/rules.ts';
import type {
  AllowRule,
  CredentialRule,
  DenyRule,
  FsPreset,
  GuardException,
  GuardMode,
  Isolation,
  Origin,
  SetRule,
  WorkspaceMode,
} from '../policy.ts';
import type { BaseName } from '../presets/presets.ts';
import type { SessionPolicy } from '../session.ts';
import type { SshRule } from '../ssh.ts';

export interface Located<Value> {
  readonly value: Value;
  readonly origin: Origin;
}

export interface CredentialEntry {
  readonly rule: CredentialRule;
  /** The key of the `SOURCE: TARGET` form: a child that writes the same key replaces it. */
  readonly key?: string | undefined;
  /** A later layer unset its target. It still stands in for what it had replaced: that does not come back. */
  readonly isUnset?: boolean | undefined;
}

/** An allow list that is there, if only as `[]`: that is not the same as none. */
export interface AllowList {
  readonly origin: Origin;
  readonly rules: readonly AllowRule[];
}

export interface PathLists {
  readonly write: readonly Located<string>[];
  readonly read: readonly Located<string>[];
  readonly hide: readonly Located<string>[];
  readonly expose: readonly Located<string>[];
}

/** Each by itself: a profile may say which folder, and one that builds on it in which way. */
export interface WorkspaceLayer {
  readonly folder?: Located<string> | undefined;
  readonly mode?: Located<WorkspaceMode> | undefined;
}

/** Each by itself: `allow` that is there, if only as `[]`, is a list and lets nothing else through. */
export interface NetworkLayer {
  readonly block?: Located<boolean> | undefined;
  readonly allow?: HostList | undefined;
  readonly deny: readonly HostRule[];
  readonly connections?: Located<number> | undefined;
  readonly silenceSeconds?: Located<number> | undefined;
}

export interface HostList {
  readonly origin: Origin;
  readonly rules: readonly HostRule[];
}

/** What one profile says by itself, before anything it extends: what is undefined it leaves to others. */
export interface Layer {
  readonly base?: Located<BaseName> | undefined;
  readonly allow?: AllowList | undefined;
  readonly deny: readonly DenyRule[];
  readonly set: readonly SetRule[];
  /** Names that what it extends may set or inject, and that shall not be there. */
  readonly unset: readonly Located<Bytes>[];
  readonly credentials: readonly CredentialEntry[];
  readonly sshKeys: readonly SshRule[];
  readonly guard?: Located<GuardMode> | undefined;
  readonly guardExceptions: readonly GuardException[];
  readonly filesystem?: Located<FsPreset | undefined> | undefined;
  readonly paths: PathLists;
  /** Whether `filesystem.allow` is written: without a preset it means `minimal`. */
  readonly allowsPaths: boolean;
  readonly workspace: WorkspaceLayer;
  readonly network: NetworkLayer;
  readonly isolation?: Located<Isolation> | undefined;
  readonly redact?: Located<boolean> | undefined;
  readonly session?: Partial<SessionPolicy> | undefined;
  readonly warnings: readonly string[];
}

export const EMPTY_LAYER: Layer = {
  deny: [],
  set: [],
  unset: [],
  credentials: [],
  sshKeys: [],
  guardExceptions: [],
  paths: { write: [], read: [], hide: [], expose: [] },
  allowsPaths: false,
  workspace: {},
  network: { deny: [] },
  warnings: [],
};
