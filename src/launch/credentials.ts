import { fileURLToPath } from 'node:url';
import type { Folders } from '../host/folders.ts';
import type { ParentEnv } from '../host/parent-env.ts';
import { Keyring } from '../secrets/keyring.ts';
import type { Tools } from '../secrets/sources/source.ts';
import type { KeyTools } from '../secrets/vault/identity.ts';
import { Vault } from '../secrets/vault/vault.ts';
import { helperRunner } from './run-helper.ts';

export interface CredentialSurroundings {
  readonly env: ParentEnv;
  readonly folders: Folders;
  /** Where commands work, and may have put anything. */
  readonly workdirs: readonly string[];
  /** For the passphrase of the vault, where it has one. */
  readonly ask: KeyTools['ask'];
}

/** What the sources of credentials work with on this machine. */
export function credentialTools({ env, folders, workdirs, ask }: CredentialSurroundings): Omit<Tools, 'signal'> {
  const run = helperRunner(env, workdirs);
  const keyring = new Keyring(run, [process.execPath, fileURLToPath(new URL('keyring-helper.js', import.meta.url))]);
  return { env, run, keyring, vault: new Vault(folders.state, { keyring, ask }) };
}
