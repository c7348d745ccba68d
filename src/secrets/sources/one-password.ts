import { secretFrom } from './helper.ts';
import { badReference, type SecretSource, splitParts, Unavailable } from './source.ts';

/** `op://vault/item/field` or `op://vault/item/section/field`, read by 1Password's own program. */
export const onePassword: SecretSource = {
  parse(rest, where) {
    const parts = splitParts(rest, [3, 4]);
    if (parts === undefined)
      throw badReference(`op://${rest}`, 'op://vault/item/field or op://vault/item/section/field', where);
    return { label: `op://${rest}`, parts };
  },

  async resolve({ label }, tools) {
    const result = await tools.run({
      argv: ['op', 'read', '--no-newline', label],
      lend: SESSION,
      signal: tools.signal,
    });
    return secretFrom(result, {
      program: 'op',
      install: 'install the 1Password CLI (op), or choose another source',
      explain,
    });
  },
};

/** Everything op itself reads: account, session, service account, Connect server. */
const SESSION = ['OP_*'];

function explain(stderr: string, code: number): Unavailable {
  if (
    /not (?:currently )?signed in|no accounts? configured|session expired|authorization (?:prompt|timeout)/i.test(
      stderr,
    )
  ) {
    return new Unavailable('op is not signed in', 'eval $(op signin), or set OP_SERVICE_ACCOUNT_TOKEN');
  }
  if (/isn't a vault|isn't an item|does not have a field|could not find|no item matched/i.test(stderr)) {
    return new Unavailable('op finds no such vault, item or field', 'look it up: op item list');
  }
  if (/more than one (?:item|vault|field)/i.test(stderr))
    return new Unavailable('op finds more than one', 'use the ids instead of the names');
  return new Unavailable(`op ended with exit code ${code}`, 'run it by hand to see why: op read REFERENCE');
}
