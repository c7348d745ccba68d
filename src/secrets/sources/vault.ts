import { guardValue } from '../../decide/guard/index.ts';
import { bytesOfText } from '../../host/bytes.ts';
import { isVaultName } from '../vault/format.ts';
import { badReference, type SecretSource, Unavailable } from './source.ts';

/** `vault://NAME`: Cordon's own encrypted vault. A bare name means this. */
export const vault: SecretSource = {
  parse(rest, where) {
    if (!isVaultName(rest))
      throw badReference(`vault://${shown(rest)}`, 'vault://NAME, a name of letters, digits, . _ - and @', where);
    return { label: `vault://${shown(rest)}`, parts: [rest] };
  },

  async resolve({ parts: [name = ''] }, tools) {
    const secret = await tools.vault.get(name);
    if (secret === undefined) throw new Unavailable('the vault has no such entry', howToStore(shown(name)));
    return secret;
  },
};

const howToStore = (name: string) =>
  name === '…'
    ? 'name the entry, not its value; cordon creds set NAME stores one'
    : `store it: cordon creds set ${name}`;

const AS_IF_SECRET = bytesOfText('TOKEN');

/** Words with at most a few digits behind each: what people call things. */
const NAME = /^[A-Za-z]+\d{0,4}(?:[._@-]+(?:[A-Za-z]+\d{0,4}|\d{1,4}))*$/;

/** A value typed where its name belongs (`--credential KEY=sk-…`) must not come back in an error. */
function shown(name: string): string {
  return NAME.test(name) && guardValue(AS_IF_SECRET, bytesOfText(name)) === undefined ? name : '…';
}
