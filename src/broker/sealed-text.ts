import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** Of a text that nobody reads or changes without it. */
export const newSealKey = () => randomBytes(32).toString('hex');

const HEAD = Buffer.from('cordon log-in 1\n');
const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export function sealed(text: string, key: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, Buffer.from(key, 'hex'), nonce).setAAD(HEAD);
  const plain = Buffer.from(text, 'utf8');
  const body = [cipher.update(plain), cipher.final()];
  plain.fill(0);
  return Buffer.concat([HEAD, nonce, cipher.getAuthTag(), ...body]);
}

export function unsealed(data: Buffer, key: string): string {
  const at = { nonce: HEAD.length, tag: HEAD.length + NONCE_BYTES, body: HEAD.length + NONCE_BYTES + TAG_BYTES };
  try {
    const decipher = createDecipheriv(CIPHER, Buffer.from(key, 'hex'), data.subarray(at.nonce, at.tag), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(data.subarray(0, at.nonce)).setAuthTag(data.subarray(at.tag, at.body));
    const plain = decipher.update(data.subarray(at.body));
    decipher.final();
    const text = plain.toString('utf8');
    plain.fill(0);
    return text;
  } catch {
    throw new Error('it was changed, or belongs to another key of the vault');
  }
}
