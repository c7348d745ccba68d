import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

// DER: a tag, a length, the content.
function der(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  const { length } = body;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), body]);
  const bytes = length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...bytes]), body]);
}
const sequence = (...content: readonly Uint8Array[]) => der(0x30, ...content);
const id = (...bytes: readonly number[]) => der(0x06, Buffer.from(bytes));
const time = (at: number) => der(0x17, Buffer.from(`${new Date(at).toISOString().replace(/\D/g, '').slice(2, 14)}Z`));
const extension = (last: number, value: Uint8Array) => sequence(id(0x55, 0x1d, last), der(0x04, value));

const ECDSA_SHA256 = sequence(id(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02));
const NAME = sequence(der(0x31, sequence(id(0x55, 4, 3), der(0x0c, Buffer.from('stand-in')))));
const SERVER = sequence(id(0x2b, 6, 1, 5, 5, 7, 3, 1));
const DAY = 86_400_000;

/** A certificate for these names that vouches for itself, and its key, both as PEM. */
export function newCertificate(names: readonly string[]): { readonly certificate: string; readonly key: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const publicDer = publicKey.export({ type: 'spki', format: 'der' });
  const serial = randomBytes(16);
  serial[0] = ((serial[0] as number) & 0x7f) | 0x40;
  const alternatives = names.map((name) => der(0x82, Buffer.from(name)));
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, serial),
    ECDSA_SHA256,
    NAME,
    sequence(time(Date.now() - DAY), time(Date.now() + DAY)),
    NAME,
    publicDer,
    der(
      0xa3,
      sequence(
        extension(0x25, SERVER),
        extension(0x11, sequence(...alternatives)),
        extension(0x0e, der(0x04, createHash('sha1').update(publicDer).digest())),
      ),
    ),
  );
  const whole = sequence(body, ECDSA_SHA256, der(0x03, Buffer.from([0]), sign('sha256', body, privateKey)));
  const lines = whole.toString('base64').match(/.{1,64}/g) ?? [];
  return {
    certificate: ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n'),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
  };
}
