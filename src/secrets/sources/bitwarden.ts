import { bytesOfText } from '../../host/bytes.ts';
import { Secret } from '../secret.ts';
import { finished, type HelperWords, secretFrom } from './helper.ts';
import { badReference, type SecretSource, splitParts, Unavailable } from './source.ts';

/** `bw://item/field`: a field Bitwarden knows by name, else a custom field of the item. `bw://item` is its password. */
export const bitwarden: SecretSource = {
  parse(rest, where) {
    const parts = splitParts(rest, [1, 2]);
    if (parts === undefined || parts[0]?.startsWith('-')) throw badReference(`bw://${rest}`, 'bw://item/field', where);
    return { label: `bw://${rest}`, parts };
  },

  async resolve({ parts: [item = '', field = 'password'] }, tools) {
    const object = OBJECTS.includes(field) ? field : 'item';
    const result = await tools.run({
      argv: ['bw', '--nointeraction', 'get', object, item],
      lend: SESSION,
      signal: tools.signal,
    });
    return object === 'item' ? customField(finished(result, WORDS).stdout, field) : secretFrom(result, WORDS);
  },
};

const OBJECTS = ['password', 'username', 'totp', 'notes', 'uri'];
const SESSION = ['BW_SESSION', 'BITWARDENCLI_APPDATA_DIR', 'NODE_EXTRA_CA_CERTS'];

const WORDS: HelperWords = {
  program: 'bw',
  install: 'install the Bitwarden CLI (bw), or choose another source',
  explain,
};

function explain(stderr: string, code: number): Unavailable {
  if (/not logged in/i.test(stderr))
    return new Unavailable('bw is not logged in', 'bw login, then export BW_SESSION="$(bw unlock --raw)"');
  if (/locked|session key|master password/i.test(stderr))
    return new Unavailable('the Bitwarden vault is locked', 'export BW_SESSION="$(bw unlock --raw)"');
  if (/more than one result/i.test(stderr))
    return new Unavailable('bw finds more than one such item', 'use the id of the item: bw list items --search TEXT');
  if (/not found|no .* available/i.test(stderr))
    return new Unavailable('bw finds no such item or field', 'look it up: bw list items --search TEXT');
  return new Unavailable(`bw ended with exit code ${code}`, 'run it by hand to see why: bw get password ITEM');
}

interface Item {
  readonly fields?: readonly { readonly name?: unknown; readonly value?: unknown }[] | null;
}

function customField(stdout: Buffer, name: string): Secret {
  const value = parseItem(stdout).fields?.find((field) => field.name === name)?.value;
  if (typeof value !== 'string')
    throw new Unavailable(
      'the item has no such field',
      `it may be ${OBJECTS.join(', ')} or a custom field of the item`,
    );
  return new Secret(bytesOfText(value));
}

/** A parser's error quotes what it read, so it goes no further. */
function parseItem(stdout: Buffer): Item {
  try {
    return JSON.parse(stdout.toString('utf8')) as Item;
  } catch {
    throw new Unavailable('bw printed something that is not an item');
  }
}
