import type { Bytes } from '../../host/bytes.ts';

/** What stands at a path: anything that is neither a regular file nor a folder is `other`. */
export type Kind = 'file' | 'dir' | 'other';

/**
 * What the command finds at a path: `hidden` nothing (an empty folder or file), `private` an empty folder of its own,
 * `cleaned` a read-only copy without some of it, `readonly` and `writable` what the host has there.
 */
export type Access = 'hidden' | 'private' | 'cleaned' | 'readonly' | 'writable';

/** Who says so: Cordon about its own files, the policy by naming the path, the preset. The earlier one wins. */
export type Speaker = 'cordon' | 'policy' | 'preset';

export interface Cover {
  /** Free of symbolic links. */
  readonly path: string;
  readonly kind: Kind;
  readonly access: Access;
  readonly speaker: Speaker;
  readonly why: string;
  /** Where the content comes from when it isn't what stands at the path. */
  readonly source?: string | undefined;
  /** What a cleaned file holds. */
  readonly text?: Bytes | undefined;
  /** A folder that is absent on the host and made for the time of the run. */
  readonly empty?: boolean | undefined;
  /** `expose`: what the preset says about anything at or below this path is void. */
  readonly lifts?: boolean | undefined;
}

export interface Placeholder {
  readonly kind: 'file' | 'dir';
  readonly path: string;
  readonly text?: string | undefined;
}

export interface Expectation {
  readonly kind: 'absent' | Kind;
  readonly path: string;
}

export interface Reasoned {
  readonly path: string;
  readonly why: string;
}

/** A file that stands in for another one. */
export interface DataFile {
  readonly path: string;
  readonly text: Bytes;
}

/** What a start-up file loses, and where; never a value. */
export interface StartupNote {
  readonly path: string;
  /** As the user knows it, `~/.bashrc`. */
  readonly file: string;
  readonly line: number;
  /** The variable; empty where there is none to tell. */
  readonly name: Bytes;
  readonly saying: string;
  readonly hidden: boolean;
}

/** Everything the disk had to say; with it the arguments follow by thought alone. */
export interface FsSurvey {
  /** Arguments that lay the ground: the root of the host, or one built up from system folders. */
  readonly ground: readonly (readonly string[])[];
  /** Parts of the private /proc that must not be written. */
  readonly procReadOnly: readonly string[];
  readonly sys: boolean;
  readonly covers: readonly Cover[];
  /** Folders that this user could rename or remove. */
  readonly renamable: ReadonlySet<string>;
  readonly placeholders: readonly Placeholder[];
  /** An empty file that stands in for hidden files. */
  readonly blank: string;
  /** The working folder, free of symbolic links. */
  readonly workspace: string;
  readonly expect: readonly Expectation[];
  readonly startup?: readonly StartupNote[];
  readonly notes: readonly string[];
}

export interface FsPlan {
  /** Bubblewrap's mount arguments, complete and in order. */
  readonly sandbox: readonly (readonly string[])[];
  readonly placeholders: readonly Placeholder[];
  readonly expect: readonly Expectation[];
  readonly hidden: readonly Reasoned[];
  readonly frozen: readonly Reasoned[];
  /** Files whose content stands in for what the host has there. */
  readonly data?: readonly DataFile[];
  readonly startup?: readonly StartupNote[];
  readonly notes: readonly string[];
}
