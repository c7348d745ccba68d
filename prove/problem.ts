/** Why nothing can be tried: what is wrong, where, and what to do about it. */
export class ProveProblem extends Error {
  readonly kind: 'usage' | 'write';
  readonly where: string | undefined;
  readonly hint: string;

  constructor(kind: 'usage' | 'write', message: string, details: { where?: string; hint: string; cause?: unknown }) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.kind = kind;
    this.where = details.where;
    this.hint = details.hint;
  }
}
