import { CordonError } from '../../host/errors.ts';
import { parseSource } from '../sources/index.ts';

const FORMS: Readonly<Record<string, string>> = {
  vault: 'vault://NAME',
  keyring: 'keyring://SERVICE/ACCOUNT',
  file: 'file:///absolute/path',
  env: 'env://NAME',
  op: 'op://VAULT/ITEM/FIELD',
  bw: 'bw://ITEM/FIELD',
};

/** Only the schemes of credential sources: `postgres://…` is a plain value. */
export function isReference(text: string): boolean {
  const scheme = /^([a-z]+):\/\//.exec(text)?.[1];
  return scheme !== undefined && Object.hasOwn(FORMS, scheme);
}

/** What was expected of a reference that no source understands. The text itself may be a secret after all, so it is not repeated. */
export function referenceProblem(text: string): string | undefined {
  try {
    parseSource({ source: text, origin: '' });
    return undefined;
  } catch (error) {
    if (!(error instanceof CordonError)) throw error;
    return `expected ${FORMS[text.slice(0, text.indexOf(':'))]}`;
  }
}
