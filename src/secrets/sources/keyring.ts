import { badReference, type SecretSource, Unavailable } from './source.ts';

/** `keyring://SERVICE/ACCOUNT`: the keyring of the operating system. */
export const keyring: SecretSource = {
  parse(rest, where) {
    const slash = rest.indexOf('/');
    const parts = [rest.slice(0, slash), rest.slice(slash + 1)];
    if (slash <= 0 || parts[1] === '' || /\p{Cc}/u.test(rest))
      throw badReference(`keyring://${rest}`, 'keyring://SERVICE/ACCOUNT', where);
    return { label: `keyring://${rest}`, parts };
  },

  async resolve({ parts: [service = '', account = ''] }, { keyring: store, signal }) {
    const secret = await store.get(service, account, signal);
    if (secret === undefined)
      throw new Unavailable(
        'the keyring has no such entry',
        "add it with the system's own tool, for example secret-tool store",
      );
    return secret;
  },
};
