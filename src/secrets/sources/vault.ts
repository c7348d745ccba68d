import { isVaultName } from '../vault/format.ts';
import { badReference, type Source, Unavailable } from './source.ts';

/** `vault://NAME`: Cordon's own encrypted vault. A bare name means this. */
export const vault: Source = {
  scheme: 'vault',

  parse(rest, where) {
    if (!isVaultName(rest))
      throw badReference(`vault://${rest}`, 'vault://NAME, a name of letters, digits, . _ - and @', where);
    return { label: `vault://${rest}`, parts: [rest] };
  },

  async resolve({ parts: [name = ''] }, tools) {
    const secret = await tools.vault.get(name);
    if (secret === undefined)
      throw new Unavailable('the vault has no such entry', `store it: cordon creds set ${name}`);
    return secret;
  },
};
