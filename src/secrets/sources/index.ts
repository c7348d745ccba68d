import { guardValue } from '../../decide/guard/index.ts';
import { bytesOfText } from '../../host/bytes.ts';
import { CordonError } from '../../host/errors.ts';
import type { Scheme } from '../../policy/credential.ts';
import type { CredentialRule } from '../../policy/policy.ts';
import { Secret } from '../secret.ts';
import { file } from './file.ts';
import { bitwarden, command, onePassword } from './helper.ts';
import { badReference, type Request, type SecretSource, Unavailable } from './source.ts';

/** `env://NAME`: another variable of the parent, which then does not reach the child under its own name. */
const env: SecretSource = {
  parse(rest, where) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(rest)) throw badReference(`env://${rest}`, 'env://NAME', where);
    return { label: `env://${rest}`, parts: [rest] };
  },

  resolve({ parts: [name = ''] }, tools) {
    const value = tools.env.get(bytesOfText(name));
    if (value === undefined)
      throw new Unavailable(`the variable ${name} is not set`, `export ${name}, or choose another source`);
    return new Secret(value);
  },
};

/** `keyring://SERVICE/ACCOUNT`: the keyring of the operating system. */
const keyring: SecretSource = {
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

/** `vault://NAME`: Cordon's own encrypted vault. A bare name means this. */
const vault: SecretSource = {
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

export const isVaultName = (name: string) => /^[A-Za-z0-9_][A-Za-z0-9_.@-]{0,127}$/.test(name);

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

const SOURCES: Readonly<Record<Scheme | 'cmd', SecretSource>> = {
  vault,
  keyring,
  file,
  env,
  cmd: command,
  op: onePassword,
  bw: bitwarden,
};

export interface SourceRequest {
  readonly source: SecretSource;
  readonly request: Request;
}

/** Which source a rule means and what it asks of it. Starts nothing. */
export function parseSource({ source, origin }: Pick<CredentialRule, 'source' | 'origin'>): SourceRequest {
  return typeof source === 'string' ? parseReference(source, origin) : parseCommand(source, origin);
}

function parseReference(reference: string, where: string): SourceRequest {
  const [scheme = '', rest] = splitScheme(reference);
  if (Object.hasOwn(SOURCES, scheme)) {
    const source = SOURCES[scheme as keyof typeof SOURCES];
    return { source, request: source.parse(rest, where) };
  }
  // What follows may be a value: a database's address for one.
  throw new CordonError('policy', `'${scheme}://…' is not a source of credentials: nothing is called ${scheme}://`, {
    where,
    hint: `the sources are ${Object.keys(SOURCES)
      .map((one) => `${one}://`)
      .join(', ')}; a bare name means vault://`,
  });
}

function splitScheme(reference: string): [string, string] {
  const at = reference.indexOf('://');
  return at === -1 ? ['vault', reference] : [reference.slice(0, at), reference.slice(at + 3)];
}

function parseCommand(words: readonly string[], where: string): SourceRequest {
  const good = words.length > 0 && words[0] !== '' && words.every((word) => !word.includes('\0'));
  if (!good)
    throw new CordonError('policy', 'a command needs at least its program, and no word may hold a NUL', { where });
  return { source: command, request: { label: `command ${words[0]}`, parts: words } };
}
