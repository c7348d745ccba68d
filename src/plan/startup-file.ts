import type { Bytes } from '../host/bytes.ts';

/** A start-up file as it was read. */
export interface StartupText {
  readonly path: string;
  readonly shown: string;
  readonly kind: StartupKind;
  /** Undefined: it is none. */
  readonly text: string | undefined;
}

export interface StartupPolicy {
  readonly passes: (name: Bytes, value: Bytes) => boolean;
  /** Whether a value of the parent that is dropped and looks like a credential stands in a text. */
  readonly holdsDropped: (text: string) => boolean;
  /** Whether there is any such value. */
  readonly drops: boolean;
}

/** `list`: a file of assignments, all of them exported. `others`: of a version manager, which is to work as it does outside. */
export type StartupKind = 'shell' | 'fish' | 'nushell' | 'list' | 'others' | 'comment';

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

/** What stands in the place of a start-up file; an empty text when the whole file is left out. */
export interface StartupFile {
  readonly path: string;
  readonly text: Bytes;
  readonly notes: readonly StartupNote[];
}
