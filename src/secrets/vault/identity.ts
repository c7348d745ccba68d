import { randomBytes } from 'node:crypto';
import { readFileSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { bytesOfText } from '../../host/bytes.ts';
import { CordonError } from '../../host/errors.ts';
import { reading } from '../../host/files.ts';
import { replaceFile, syncFolder } from '../../host/whole-file.ts';
import { KEYRING_SERVICE, type Keyring } from '../keyring.ts';
import { Secret } from '../secret.ts';
import { checkFile } from '../sources/file.ts';
import { Unavailable } from '../sources/source.ts';
import { lockIdentity, newIdentity, unlockIdentity } from './crypt.ts';
import { place } from './generations.ts';

/** How the vault's key is kept: in the keyring, in a file only the user can read, or in a file under a passphrase. */
export type KeyPlace = 'keyring' | 'file' | 'passphrase';

export interface KeyTools {
  readonly keyring: Keyring;
  /** Asks on the terminal without showing the answer; an error where there is none. */
  readonly ask: (prompt: string) => Promise<Secret>;
}

const FILE = 'identity';
const IN_KEYRING = /^keyring (\S+)$/;
const PLAIN = /^AGE-SECRET-KEY-1[A-Z0-9]+$/;

const ABSENT = new Error('there is none yet');

/** The file says which: the key itself, the key under a passphrase, or the name of an entry in the keyring. */
export function readKeyFile(folder: string): string | undefined {
  const path = join(folder, FILE);
  const look = (descriptor: number, stats: Stats) => {
    checkFile(stats, path);
    return readFileSync(descriptor, 'utf8').trim();
  };
  const failed = (code: string) =>
    code === 'ENOENT'
      ? ABSENT
      : new CordonError('vault', `the key file of the vault cannot be read (${code})`, { where: path });
  try {
    return reading(path, 'refused', look, failed);
  } catch (error) {
    if (error === ABSENT) return undefined;
    if (!(error instanceof Unavailable)) throw error;
    throw new CordonError('vault', `the key file of the vault is refused: ${error.message}`, {
      where: path,
      hint: error.hint,
    });
  }
}

export function placeOf(keyFile: string): KeyPlace {
  if (PLAIN.test(keyFile)) return 'file';
  return IN_KEYRING.test(keyFile) ? 'keyring' : 'passphrase';
}

export async function openKey(keyFile: string, folder: string, { keyring, ask }: KeyTools): Promise<Secret> {
  const where = join(folder, FILE);
  if (PLAIN.test(keyFile)) return new Secret(bytesOfText(keyFile));
  const account = IN_KEYRING.exec(keyFile)?.[1];
  if (account !== undefined) return fromKeyring(account, keyring, where);
  if (keyFile.startsWith('-----BEGIN AGE ENCRYPTED FILE-----'))
    return unlockIdentity(keyFile, await ask('Passphrase of the vault: '), where);
  throw new CordonError('vault', 'the key file of the vault was changed: it holds no key', {
    where,
    hint: 'put back a backup of it',
  });
}

async function fromKeyring(account: string, keyring: Keyring, where: string): Promise<Secret> {
  const key = await keyring.get(KEYRING_SERVICE, account);
  if (key !== undefined) return key;
  throw new CordonError('vault', `the keyring no longer has the key of the vault (${KEYRING_SERVICE}/${account})`, {
    where,
    hint: 'unlock the keyring the vault was made with; without its key the vault cannot be opened',
  });
}

/** A new key, kept as asked. Of several processes that begin at once one wins, and all use its key. */
export async function createKey(folder: string, kept: KeyPlace, tools: KeyTools): Promise<void> {
  const { text, undo } = await keep(await newIdentity(), kept, tools);
  if (!place(folder, join(folder, FILE), text)) await undo();
}

/** The same key, kept in another way. */
export async function moveKey(folder: string, kept: KeyPlace, tools: KeyTools): Promise<void> {
  const before = readKeyFile(folder) ?? '';
  const { text } = await keep(await openKey(before, folder, tools), kept, tools);
  replaceFile(join(folder, FILE), text);
  syncFolder(folder);
  const left = IN_KEYRING.exec(before)?.[1];
  if (left !== undefined) await tools.keyring.delete(KEYRING_SERVICE, left);
}

interface KeptIdentity {
  readonly text: string;
  readonly undo: () => Promise<void>;
}

const nothingToUndo = () => Promise.resolve();

async function keep(key: Secret, kept: KeyPlace, { keyring, ask }: KeyTools): Promise<KeptIdentity> {
  if (kept === 'file') return { text: `${key.reveal()}\n`, undo: nothingToUndo };
  if (kept === 'passphrase') return { text: await lockIdentity(key, await newPassphrase(ask)), undo: nothingToUndo };
  const account = `vault-${randomBytes(8).toString('hex')}`;
  await keyring.set(KEYRING_SERVICE, account, key);
  return { text: `keyring ${account}\n`, undo: () => keyring.delete(KEYRING_SERVICE, account) };
}

async function newPassphrase(ask: KeyTools['ask']): Promise<Secret> {
  const first = await ask('New passphrase of the vault: ');
  if (first.isEmpty)
    throw new CordonError('vault', 'an empty passphrase protects nothing', {
      hint: 'several random words are easy to type',
    });
  const second = await ask('The same again: ');
  if (first.reveal() === second.reveal()) return first;
  throw new CordonError('vault', 'the two passphrases differ', { hint: 'nothing was changed' });
}
