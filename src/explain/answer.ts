/** What would change an answer: one flag, the same as a line of a profile, and what it costs. */
export interface PossibleChange {
  /** What it brings about, to stand before the flag: `to show it`. */
  readonly effect: string;
  readonly flag: string;
  readonly profile?: string | undefined;
  /** Of credentials: what whoever gets it can do. */
  readonly gives?: string | undefined;
}

/** The answer to one question: what becomes of it, why, and what would change that. Never a value. */
export interface Answer {
  readonly kind: 'variable' | 'path' | 'socket' | 'host' | 'command';
  /** As it was asked for. */
  readonly name: string;
  readonly verdict: string;
  readonly reason: string;
  readonly rule?: string | undefined;
  readonly origin?: string | undefined;
  /** Nothing is there; what a command makes there would be put aside. */
  readonly aside?: boolean;
  /** Undefined: nothing does. */
  readonly change?: PossibleChange | undefined;
}

export interface Profiled {
  readonly section: string;
  readonly key: string;
  readonly values: readonly string[];
}

/** A line of a profile in JSON, as it can be put in. */
export const profileLine = ({ section, key, values }: Profiled) =>
  `"${section}": { "${key}": [${values.map((value) => JSON.stringify(value)).join(', ')}] }`;
