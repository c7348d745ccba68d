import { bytesOfText } from '../../host/bytes.ts';
import { Secret } from '../secret.ts';
import { secretOf } from '../value.ts';
import { badReference, type HelperResult, type SecretSource, splitParts, Unavailable } from './source.ts';

interface HelperWords {
  readonly program: string;
  /** Where to get the program when it is not installed. */
  readonly install: string;
  /** What the program said, as we understand it. */
  readonly explain: (stderr: string, code: number) => Unavailable;
}

/** What a helper printed as a secret, or why there is none. */
function secretFrom(result: HelperResult, words: HelperWords): Secret {
  const { stdout } = finished(result, words);
  if (stdout.length === 0 || stdout.equals(NEWLINE)) throw new Unavailable(`${words.program} printed nothing`);
  if (stdout.includes(0))
    throw new Unavailable(`${words.program} printed binary data`, 'have it print text, for example base64');
  return secretOf(stdout);
}

const NEWLINE = Buffer.from('\n');

function finished(result: HelperResult, { program, install, explain }: HelperWords): { stdout: Buffer } {
  switch (result.outcome) {
    case 'exited':
      if (result.code === 0) return result;
      throw explain(result.stderr, result.code);
    case 'not-found':
      throw new Unavailable(`${program} is not installed, or not on PATH`, install);
    case 'untrusted':
      throw new Unavailable(result.error.message, result.error.hint);
    case 'not-runnable':
      throw new Unavailable(`${program} cannot be run`, 'it is not an executable file');
    case 'time':
      throw new Unavailable(
        `${program} gave no answer in time`,
        'it may be waiting for an answer: run it by hand once',
      );
    case 'too-much':
      throw new Unavailable(`${program} printed more than a credential can have`);
  }
}

/** A command of a profile, as an array of words: no shell, no terminal, no variables beyond the common ones. */
export const command: SecretSource = {
  parse(rest, where) {
    throw badReference(
      `cmd://${rest}`,
      'a command as an array of words in a profile: { target, command: [...] }',
      where,
    );
  },

  async resolve({ parts }, tools) {
    const [program = '', ...args] = parts;
    const result = await tools.run({ argv: [program, ...args], signal: tools.signal });
    return secretFrom(result, {
      program: `'${program}'`,
      install: 'give its whole path, or install it',
      explain: (_, code) => new Unavailable(`'${program}' ended with exit code ${code}`, 'run it by hand to see why'),
    });
  },
};

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
      lend: OP_SESSION,
      signal: tools.signal,
    });
    return secretFrom(result, {
      program: 'op',
      install: 'install the 1Password CLI (op), or choose another source',
      explain: explainOnePassword,
    });
  },
};

/** Everything op itself reads: account, session, service account, Connect server. */
const OP_SESSION = ['OP_*'];

function explainOnePassword(stderr: string, code: number): Unavailable {
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
      lend: BITWARDEN_SESSION,
      signal: tools.signal,
    });
    return object === 'item' ? customField(finished(result, BITWARDEN).stdout, field) : secretFrom(result, BITWARDEN);
  },
};

const OBJECTS = ['password', 'username', 'totp', 'notes', 'uri'];
const BITWARDEN_SESSION = ['BW_SESSION', 'BITWARDENCLI_APPDATA_DIR', 'NODE_EXTRA_CA_CERTS'];

const BITWARDEN: HelperWords = {
  program: 'bw',
  install: 'install the Bitwarden CLI (bw), or choose another source',
  explain: explainBitwarden,
};

function explainBitwarden(stderr: string, code: number): Unavailable {
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
