import type { Bytes } from '../host/bytes.ts';
import type { BrokerRule } from './broker.ts';
import type { LogInRule } from './log-ins.ts';
import { NETWORK_ON, type NetworkPolicy } from './network/rules.ts';
import type { Pattern } from './pattern.ts';
import type { BaseName } from './presets/presets.ts';
import type { SessionPolicy } from './session.ts';
import type { SshRule } from './ssh.ts';

/** Where a rule is written: `profiles/web.json:4:7`, `flag --allow`, `preset os-common`, `adapter claude`. */
export type Origin = string;

export interface AllowRule {
  readonly pattern: Pattern;
  readonly origin: Origin;
  /** An exact key of an adapter or role: the credential guard leaves it alone. */
  readonly extraKey?: boolean;
  /** An address, which may pass but no credential in it: a value that carries one stops the launch. */
  readonly plain?: boolean;
}

export interface DenyRule {
  readonly pattern: Pattern;
  readonly except: readonly Pattern[];
  readonly origin: Origin;
}

/** Where the variable CORDON comes from, which is the policy's name, and its like: no secrets, and the same at every start. */
export const MARKER_ORIGIN: Origin = 'cordon run';

export interface SetRule {
  readonly name: Bytes;
  readonly value: Bytes;
  readonly origin: Origin;
}

export interface CredentialRule {
  readonly target: Bytes;
  /** `vault://NAME`, `env://NAME` … or the words of a command. */
  readonly source: string | readonly string[];
  readonly origin: Origin;
  /** The variable of the parent that the value is read from, which then doesn't reach the child. */
  readonly sourceVariable?: Bytes | undefined;
  /** The command holds a placeholder; the value goes where this says, from outside. */
  readonly broker?: BrokerRule | undefined;
}

/** A name that looks like a credential's and is none, with the reason somebody gave. What its value says still counts. */
export interface GuardException {
  readonly name: Bytes;
  readonly reason: string;
  readonly origin: Origin;
}

export type GuardMode = 'off' | 'strip' | 'forbid';
export type Isolation = 'auto' | 'barrier' | 'filter';
export type FsPreset = 'all' | 'guarded' | 'workspace' | 'minimal';

export interface FilesystemPolicy {
  readonly preset: FsPreset;
  /** Asked for by name, so it never degrades. */
  readonly explicit: boolean;
  /** Absolute paths, `~` expanded: the real place, writable. */
  readonly write: readonly string[];
  /** As they are outside at any time, read-only. */
  readonly read: readonly string[];
  readonly hide: readonly string[];
  /** Let through although they would be hidden. */
  readonly expose: readonly string[];
  /** In a home: there to be read, writes are put aside. Lifts what the preset hides at this very path. */
  readonly show: readonly string[];
  readonly said?: SaidPlaces | undefined;
  readonly workspace: WorkspacePolicy;
}

/** Where an agent keeps what was said, which is written for real. Nothing but plain files and folders that a command made stays there. */
export interface SaidPlaces {
  /** Those in `write` that are such. */
  readonly plain: readonly string[];
  /** Folders with one for each project, of which that of the workspace is written; in it, names that are put aside. */
  readonly projects: readonly { readonly folder: string; readonly aside: readonly string[] }[];
}

/** What becomes of what is written in the workspace: it stays there, is put aside, or can't be written at all. */
export type WorkspaceMode = 'real' | 'aside' | 'read-only';

export interface WorkspacePolicy {
  /** Undefined: found from the working folder. */
  readonly folder?: string | undefined;
  readonly mode: WorkspaceMode;
}

/** What is written down about one launch, whatever the surface. */
export interface Policy {
  /** For messages and the audit record: `flags`, `profile web`, `tool ruff`. */
  readonly origin: Origin;
  readonly base: { readonly preset: BaseName; readonly origin: Origin };
  readonly allow: readonly AllowRule[];
  readonly deny: readonly DenyRule[];
  readonly set: readonly SetRule[];
  readonly credentials: readonly CredentialRule[];
  /** Keys of the user's ssh-agent that the command may log in with, each to its own hosts. */
  readonly ssh?: readonly SshRule[] | undefined;
  /** Log-ins in files of an agent, of which the command gets placeholders. */
  readonly logIns?: readonly LogInRule[] | undefined;
  readonly guard: GuardMode;
  /** Never for an agent. */
  readonly guardExceptions?: readonly GuardException[] | undefined;
  readonly filesystem: FilesystemPolicy;
  readonly network: NetworkPolicy;
  readonly isolation: Isolation;
  readonly redact: boolean;
  /** Concerns sessions alone; undefined: nothing is said about them. */
  readonly session?: SessionPolicy | undefined;
  /** The files it came from, by their paths: the command may not change them. */
  readonly files: readonly string[];
  /** Said once on stderr when the policy is used. */
  readonly warnings: readonly string[];
}

/** `cordon run` without any policy: what most programs need, behind the barrier where there is one. */
export const DEFAULT_POLICY: Policy = {
  origin: 'defaults',
  base: { preset: 'os-common', origin: 'default base' },
  allow: [],
  deny: [],
  set: [],
  credentials: [],
  guard: 'off',
  filesystem: {
    preset: 'guarded',
    explicit: false,
    write: [],
    read: [],
    hide: [],
    expose: [],
    show: [],
    workspace: { mode: 'real' },
  },
  network: NETWORK_ON,
  isolation: 'auto',
  redact: false,
  files: [],
  warnings: [],
};
