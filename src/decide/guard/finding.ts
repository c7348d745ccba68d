import type { Bytes } from '../../host/bytes.ts';

/** Why a variable is held back. It names the kind of credential, never the value or a part of it. */
export interface GuardFinding {
  readonly rule: string;
  readonly reason: string;
}

/** A credential that shows by its form alone. */
export interface ShapeRule {
  readonly id: string;
  /** Completes "the value holds …". */
  readonly what: string;
  /** One of these is in every match; looked for first, so that a pattern is compiled only when it may be needed. */
  readonly anchors: readonly string[];
  /** Every repetition has an upper bound: that keeps the time linear whatever the value is. */
  readonly pattern: RegExp;
}

/** A credential that takes more than one pattern to see. `test` is linear in the value's length. */
export interface ReadingRule {
  readonly id: string;
  readonly what: string;
  readonly test: (value: Bytes, name: Bytes) => boolean;
}
