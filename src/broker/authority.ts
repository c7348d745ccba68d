import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto';
import type { BrokerHost } from '../policy/broker.ts';

/** The certificate that commands are told to trust, and the key to it, which stays in memory. */
export interface Authority {
  readonly certificate: string;
  readonly key: string;
}

export interface Leaf {
  readonly cert: string;
  readonly key: string;
}

// DER: a tag, a length, the content.
function der(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  const { length } = body;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), body]);
  const bytes = length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...bytes]), body]);
}
const sequence = (...content: Uint8Array[]) => der(0x30, ...content);
const octets = (...content: Uint8Array[]) => der(0x04, ...content);
const id = (...bytes: number[]) => der(0x06, Buffer.from(bytes));
const TRUE = der(0x01, Buffer.from([0xff]));
const ECDSA_SHA256 = sequence(id(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02));

const commonName = (text: string) => sequence(der(0x31, sequence(id(0x55, 4, 3), der(0x0c, Buffer.from(text)))));
const time = (at: Date) =>
  der(
    0x17,
    Buffer.from(
      `${at
        .toISOString()
        .replace(/[-:T]|\.\d+/g, '')
        .slice(2)}`,
    ),
  );
const extension = (last: number, critical: boolean, value: Uint8Array) =>
  sequence(id(0x55, 0x1d, last), ...(critical ? [TRUE] : []), octets(value));
const keyId = (key: KeyObject) => createHash('sha1').update(publicDer(key)).digest();
const publicDer = (key: KeyObject) => key.export({ type: 'spki', format: 'der' });
const dnsName = (name: string) => der(0x82, Buffer.from(name));

interface Certificate {
  readonly subject: Buffer;
  readonly issuer: Buffer;
  readonly key: KeyObject;
  readonly days: number;
  readonly extensions: readonly Buffer[];
}

const DAY = 86_400_000;

function signed({ subject, issuer, key, days, extensions }: Certificate, signer: KeyObject): string {
  const serial = randomBytes(16);
  serial[0] = ((serial[0] as number) & 0x7f) | 0x40;
  const now = Date.now();
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, serial),
    ECDSA_SHA256,
    issuer,
    sequence(time(new Date(now - DAY)), time(new Date(now + days * DAY))),
    subject,
    publicDer(key),
    der(0xa3, sequence(...extensions)),
  );
  const whole = sequence(body, ECDSA_SHA256, der(0x03, Buffer.from([0]), sign('sha256', body, signer)));
  return `-----BEGIN CERTIFICATE-----\n${(whole.toString('base64').match(/.{1,64}/g) ?? []).join('\n')}\n-----END CERTIFICATE-----\n`;
}

const newKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });
const pem = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }) as string;
const NAME = commonName('Cordon, for this launch only');

/** A new one for each launch. It can vouch for the brokered hosts alone, whoever should come to have its key. */
export function newAuthority(hosts: readonly BrokerHost[]): Authority {
  const { privateKey, publicKey } = newKey();
  const permitted = [...new Set(hosts.map(({ name }) => name))].map((name) => sequence(dnsName(name)));
  const extensions = [
    extension(0x13, true, sequence(TRUE, der(0x02, Buffer.from([0])))),
    extension(0x0f, true, der(0x03, Buffer.from([1, 0x06]))),
    extension(0x0e, false, octets(keyId(publicKey))),
    extension(0x1e, true, sequence(der(0xa0, ...permitted))),
  ];
  const certificate = signed({ subject: NAME, issuer: NAME, key: publicKey, days: 365, extensions }, privateKey);
  return { certificate, key: pem(privateKey) };
}

/** Certificates of hosts, each made when it is first asked for, all with one key. */
export class Issuer {
  readonly #signer: KeyObject;
  readonly #signerId: Buffer;
  readonly #pair = newKey();
  readonly #leaves = new Map<string, Leaf>();

  constructor({ key }: Authority) {
    this.#signer = createPrivateKey(key);
    this.#signerId = keyId(createPublicKey(key));
  }

  leafFor(name: string): Leaf {
    const known = this.#leaves.get(name);
    if (known !== undefined) return known;
    const { publicKey, privateKey } = this.#pair;
    const extensions = [
      extension(0x13, true, sequence()),
      extension(0x0f, true, der(0x03, Buffer.from([7, 0x80]))),
      extension(0x25, false, sequence(id(0x2b, 6, 1, 5, 5, 7, 3, 1))),
      extension(0x11, false, sequence(dnsName(name))),
      extension(0x0e, false, octets(keyId(publicKey))),
      extension(0x23, false, sequence(der(0x80, this.#signerId))),
    ];
    // The name is in the alternative names; as a common name it may be no longer than 64 characters.
    const subject = commonName(name.slice(0, 64));
    const cert = signed({ subject, issuer: NAME, key: publicKey, days: 90, extensions }, this.#signer);
    const leaf = { cert, key: pem(privateKey) };
    this.#leaves.set(name, leaf);
    return leaf;
  }
}
