import { showText } from './bytes.ts';

/** Exit codes of Cordon's own failures. */
export const EXIT = { findings: 1, failure: 125, notRunnable: 126, notFound: 127 } as const;

export interface ErrorDetails {
  /** The spot, as file:line:column or a flag. */
  readonly where?: string | undefined;
  /** What the reader can do about it. */
  readonly hint?: string | undefined;
  /** The line of the file with a mark under the spot. */
  readonly frame?: readonly string[];
  /** What else is wrong with the same file. */
  readonly related?: readonly CordonError[];
  readonly exitCode?: number | undefined;
  /** Which of the errors of its kind, where code has to tell them apart. */
  readonly code?: string | undefined;
  readonly cause?: unknown;
}

/** What went wrong, where, and what to do: the only error that is shown to people as it is. */
export class CordonError extends Error {
  readonly kind: string;
  readonly where: string | undefined;
  readonly hint: string | undefined;
  readonly frame: readonly string[];
  readonly related: readonly CordonError[];
  readonly exitCode: number;
  readonly code: string | undefined;

  constructor(kind: string, message: string, details: ErrorDetails = {}) {
    super(showText(message), details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'CordonError';
    this.kind = kind;
    this.where = details.where;
    this.hint = details.hint;
    this.frame = details.frame ?? [];
    this.related = details.related ?? [];
    this.exitCode = details.exitCode ?? EXIT.failure;
    this.code = details.code;
  }
}
