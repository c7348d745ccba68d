/** What becomes of one thing that a policy of another tool says. */
export type Fate =
  /** Cordon holds the same. */
  | 'same'
  /** Less passes, or less is there, than in the source. */
  | 'narrower'
  /** More would pass. Nothing is written unless a person accepts this very point. */
  | 'wider'
  /** Cordon has no word for it. Where it may restrict something it has to be accepted, too. */
  | "can't be said";

export interface Row {
  /** As the source names it; what `--accept` takes. */
  readonly key: string;
  readonly fate: Fate;
  /** Why, and what is there instead. Never a value. */
  readonly note: string;
  /** Not about what a command may see or do: told apart, so that the table stays short. */
  readonly aside?: boolean;
  /** Has to be accepted by its key. */
  readonly needsAccept?: boolean;
}

export const mustBeAccepted = ({ fate, needsAccept }: Row): boolean => fate === 'wider' || needsAccept === true;

/** What of a table has not been accepted. */
export function refusedRows(rows: readonly Row[], accepted: readonly string[]): Row[] {
  return rows.filter((row) => mustBeAccepted(row) && !accepted.includes(row.key));
}
