import { readFileSync, writeSync } from 'node:fs';
import { KEYRING_EXIT } from '../secrets/keyring.ts';

/**
 * A program of its own: `keyring-helper get|set|delete SERVICE ACCOUNT`, the value over a pipe. A locked keyring may wait for a person
 * without end, and only another process can be ended then.
 */
async function main([action, service, account]: readonly string[]): Promise<number> {
  const library = await import('@napi-rs/keyring').catch(() => undefined);
  if (library === undefined || service === undefined || account === undefined) return KEYRING_EXIT.noLibrary;
  try {
    // The kernel's own keyring forgets at the next start of the machine, so it is no place for what must last.
    const entry = new library.Entry(service, account, { linux: { store: 'secret-service' } });
    return act(entry, action);
  } catch {
    return KEYRING_EXIT.refused;
  }
}

interface KeyringEntry {
  getSecret(): number[] | null;
  setSecret(secret: Uint8Array): void;
  deleteCredential(): boolean;
}

function act(entry: KeyringEntry, action: string | undefined): number {
  switch (action) {
    case 'get':
      return print(entry.getSecret());
    case 'set':
      entry.setSecret(readFileSync(0));
      return KEYRING_EXIT.done;
    case 'delete':
      entry.deleteCredential();
      return KEYRING_EXIT.done;
    default:
      return KEYRING_EXIT.refused;
  }
}

function print(secret: number[] | null): number {
  if (secret === null) return KEYRING_EXIT.noEntry;
  const data = Buffer.from(secret);
  for (let written = 0; written < data.length; ) written += writeSync(1, data, written);
  return KEYRING_EXIT.done;
}

process.exitCode = await main(process.argv.slice(2));
