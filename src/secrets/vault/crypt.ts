import { bytesOfText, textOfBytes } from '../../host/bytes.ts';
import { CordonError } from '../../host/errors.ts';
import { Secret } from '../secret.ts';
import { RESTORE } from './format.ts';

/** Loaded only where a vault is opened. */
const age = () => import('age-encryption');

export async function newIdentity(): Promise<Secret> {
  return new Secret(bytesOfText(await (await age()).generateX25519Identity()));
}

export async function encryptFor(identity: Secret, data: Uint8Array): Promise<Uint8Array> {
  const { Encrypter, identityToRecipient } = await age();
  const encrypter = new Encrypter();
  encrypter.addRecipient(await identityToRecipient(identity.reveal()));
  return encrypter.encrypt(data);
}

/** Whatever is wrong with the file, the library's own words could quote it. */
export async function decryptWith(identity: Secret, data: Uint8Array, where: string): Promise<Uint8Array> {
  const { Decrypter } = await age();
  const decrypter = new Decrypter();
  decrypter.addIdentity(identity.reveal());
  try {
    return await decrypter.decrypt(data);
  } catch {
    throw new CordonError(
      'vault',
      'the vault cannot be decrypted: it was cut short, changed, or belongs to another key',
      { where, hint: RESTORE },
    );
  }
}

export async function lockIdentity(identity: Secret, passphrase: Secret): Promise<string> {
  const { Encrypter, armor } = await age();
  const encrypter = new Encrypter();
  encrypter.setPassphrase(text(passphrase));
  return armor.encode(await encrypter.encrypt(identity.buffer()));
}

export async function unlockIdentity(armored: string, passphrase: Secret, where: string): Promise<Secret> {
  const { Decrypter, armor } = await age();
  const decrypter = new Decrypter();
  decrypter.addPassphrase(text(passphrase));
  try {
    return new Secret(bytesOfText(await decrypter.decrypt(armor.decode(armored), 'text')));
  } catch {
    throw new CordonError('vault', 'this is not the passphrase of the vault, or its key file was changed', { where });
  }
}

/** As the age program takes it, so that the key file can be opened with it too. */
function text(passphrase: Secret): string {
  return textOfBytes(passphrase.reveal()) ?? passphrase.reveal();
}
