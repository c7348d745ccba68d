import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';

/** Reads what SSH writes: numbers, and strings with their length before them. Throws where something is missing. */
export class SshReader {
  readonly #data: Buffer;
  #at = 0;

  constructor(data: Buffer) {
    this.#data = data;
  }

  #take(length: number): Buffer {
    if (this.#at + length > this.#data.length) throw new RangeError('the message is cut off');
    this.#at += length;
    return this.#data.subarray(this.#at - length, this.#at);
  }

  byte(): number {
    return this.#take(1)[0] as number;
  }

  number(): number {
    return this.#take(4).readUInt32BE(0);
  }

  string(): Buffer {
    return this.#take(this.number());
  }

  text(): string {
    return this.string().toString('latin1');
  }

  get isAtEnd(): boolean {
    return this.#at === this.#data.length;
  }
}

export function sshString(data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  return Buffer.concat([length, data]);
}

/** As `ssh-keygen -l` and `ssh-add -l` show it. */
export const fingerprintOf = (blob: Buffer) =>
  `SHA256:${createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')}`;

const CURVES: Readonly<Record<string, readonly [name: string, hash: string, bytes: number]>> = {
  nistp256: ['P-256', 'sha256', 32],
  nistp384: ['P-384', 'sha384', 48],
  nistp521: ['P-521', 'sha512', 66],
};
const RSA_HASHES: Readonly<Record<string, string>> = { 'rsa-sha2-256': 'sha256', 'rsa-sha2-512': 'sha512' };

const jwk = (key: Record<string, string>): KeyObject => createPublicKey({ key, format: 'jwk' });
const url = (bytes: Buffer) => bytes.toString('base64url');
/** Without the zero that keeps a number positive. */
const unsigned = (bytes: Buffer) => (bytes[0] === 0 ? bytes.subarray(1) : bytes);
const padded = (bytes: Buffer, length: number) =>
  Buffer.concat([Buffer.alloc(Math.max(0, length - bytes.length)), bytes]);

/** Whether the key signed the data. A kind of key or signature that is not known signed nothing. */
export function isSignedBy(blob: Buffer, data: Buffer, signature: Buffer): boolean {
  try {
    const key = new SshReader(blob);
    const kind = key.text();
    const signed = new SshReader(signature);
    const algorithm = signed.text();
    const bytes = signed.string();
    if (!signed.isAtEnd) return false;
    if (kind === 'ssh-ed25519' && algorithm === kind)
      return verify(null, data, jwk({ kty: 'OKP', crv: 'Ed25519', x: url(key.string()) }), bytes);
    if (kind === 'ssh-rsa') return isSignedByRsa(key, data, algorithm, bytes);
    return kind === algorithm && isSignedByCurve(key, data, bytes);
  } catch {
    return false;
  }
}

function isSignedByRsa(key: SshReader, data: Buffer, algorithm: string, signature: Buffer): boolean {
  const hash = RSA_HASHES[algorithm];
  const [e, n] = [unsigned(key.string()), unsigned(key.string())];
  return hash !== undefined && verify(hash, data, jwk({ kty: 'RSA', n: url(n), e: url(e) }), signature);
}

function isSignedByCurve(key: SshReader, data: Buffer, signature: Buffer): boolean {
  const curve = CURVES[key.text()];
  const point = key.string();
  if (curve === undefined || point[0] !== 4) return false;
  const [crv, hash, length] = curve;
  const [x, y] = [point.subarray(1, 1 + length), point.subarray(1 + length)];
  const numbers = new SshReader(signature);
  const both = [numbers.string(), numbers.string()].map((one) => padded(unsigned(one), length));
  const publicKey = jwk({ kty: 'EC', crv, x: url(x), y: url(y) });
  return verify(hash, data, { key: publicKey, dsaEncoding: 'ieee-p1363' }, Buffer.concat(both));
}
