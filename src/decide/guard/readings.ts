import type { Bytes } from '../../host/bytes.ts';

/** The value as it stands and, where it is encoded as a whole, what it says when decoded once. */
export function readingsOf(value: Bytes): readonly Bytes[] {
  return [value, percentDecoded(value), base64Text(value)].filter((reading) => reading !== undefined);
}

function percentDecoded(value: Bytes): Bytes | undefined {
  if (!value.includes('%')) return undefined;
  const decoded = value.replace(/%[0-9A-Fa-f]{2}/g, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)));
  return decoded === value ? undefined : (decoded as Bytes);
}

/** The text behind a value that is base64 as a whole; a picture or a digest has none. */
function base64Text(value: Bytes): Bytes | undefined {
  if (value.length < 16 || !isText(Buffer.from(value.slice(0, 64), 'base64'))) return undefined;
  if (!/^[A-Za-z0-9+/_\s-]+={0,2}$/.test(value.trim())) return undefined;
  const decoded = Buffer.from(value, 'base64');
  return isText(decoded) ? (decoded.toString('latin1') as Bytes) : undefined;
}

function isText(bytes: Buffer): boolean {
  return bytes.every((byte) => (byte >= 0x20 && byte <= 0x7e) || byte === 0x09 || byte === 0x0a || byte === 0x0d);
}
