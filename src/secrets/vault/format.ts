import { createHmac, randomBytes } from 'node:crypto';
import { type Bytes, bytesOfBuffer } from '../../host/bytes.ts';
import { CordonError } from '../../host/errors.ts';
import { Secret } from '../secret.ts';

const VERSION = 1;

/** What a vault holds once it is open. */
export interface Contents {
  /** For fingerprints: without it nobody can try values against one. */
  readonly key: Buffer;
  readonly entries: ReadonlyMap<string, VaultEntry>;
}

export interface VaultEntry {
  readonly secret: Secret;
  readonly changed: string;
}

export function emptyContents(): Contents {
  return { key: randomBytes(32), entries: new Map() };
}

/** Tells two values apart without telling anything about them. */
export function fingerprint({ key }: Contents, { secret }: VaultEntry): string {
  return createHmac('sha256', key).update(secret.buffer()).digest('hex').slice(0, 8);
}

export function encodeContents({ key, entries }: Contents): Buffer {
  const record = [...entries].map(([name, { secret, changed }]) => ({
    name,
    value: secret.buffer().toString('base64'),
    changed,
  }));
  return Buffer.from(JSON.stringify({ version: VERSION, key: key.toString('base64'), entries: record }), 'utf8');
}

interface Stored {
  readonly version: number;
  readonly key: string;
  readonly entries: readonly { readonly name: string; readonly value: string; readonly changed: string }[];
}

/** It decrypted, so Cordon wrote it; only its version can surprise. */
export function decodeContents(data: Uint8Array, where: string): Contents {
  const stored = parse(data, where);
  if (stored.version > VERSION) throw newer(stored.version, where);
  const entries = stored.entries.map(({ name, value, changed }): [string, VaultEntry] => [
    name,
    { secret: decodeValue(value), changed },
  ]);
  return { key: Buffer.from(stored.key, 'base64'), entries: new Map(entries) };
}

function decodeValue(value: string): Secret {
  return new Secret(bytesOfBuffer(Buffer.from(value, 'base64')) as Bytes);
}

/** A parser's error quotes what it read, so it goes no further. */
function parse(data: Uint8Array, where: string): Stored {
  try {
    const stored = JSON.parse(Buffer.from(data).toString('utf8')) as Stored;
    if (typeof stored.version === 'number' && (stored.version > VERSION || Array.isArray(stored.entries)))
      return stored;
  } catch {
    // Said below, in words without the content.
  }
  throw new CordonError('vault', 'the vault decrypts, but its content is not a vault', { where, hint: RESTORE });
}

export const RESTORE = 'nothing was changed; put back a backup of the folder, or move the folder away to begin anew';

function newer(version: number, where: string): CordonError {
  return new CordonError(
    'vault',
    `the vault was written by a newer Cordon (format ${version}, this one knows ${VERSION})`,
    {
      where,
      hint: 'nothing was changed; update cordon',
    },
  );
}
