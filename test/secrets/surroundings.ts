import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from 'vitest';
import { bytesOfText } from '../../src/host/bytes.ts';
import { ParentEnv } from '../../src/host/parent-env.ts';
import { helperRunner } from '../../src/launch/run-helper.ts';
import { credentialRule } from '../../src/policy/credential.ts';
import { Keyring } from '../../src/secrets/keyring.ts';
import { resolveCredentials } from '../../src/secrets/resolve.ts';
import { Secret } from '../../src/secrets/secret.ts';
import type { Tools } from '../../src/secrets/sources/source.ts';
import { Vault } from '../../src/secrets/vault/vault.ts';
import { trustedHelpers } from '../support/trusted-folder.ts';

const FIXTURES = trustedHelpers();
const made: string[] = [];

afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});

export interface Place {
  readonly home: string;
  readonly state: string;
  readonly tools: Omit<Tools, 'signal'>;
  /** Writes a file of the home folder with this mode. */
  readonly file: (name: string, content: string | Buffer, mode?: number) => string;
  readonly vault: (answers?: readonly string[]) => Vault;
  readonly resolve: (source: string | readonly string[], timeLimit?: number) => Promise<string>;
}

export type KeyringMode = 'working' | 'locked' | 'refusing' | 'forgetful' | 'none';

/** A home folder, a keyring that behaves as asked, and the stand-ins of password managers on PATH. */
export function newPlace(env: Readonly<Record<string, string>> = {}, keyringMode: KeyringMode = 'none'): Place {
  const home = mkdtempSync(join(tmpdir(), 'cordon-secrets-'));
  made.push(home);
  mkdirSync(join(home, 'keyring'));
  writeFileSync(join(home, 'keyring', 'mode'), keyringMode);
  const parent = ParentEnv.fromRecord({ HOME: home, PATH: `${join(FIXTURES, 'bin')}:/usr/bin:/bin`, ...env });
  const run = helperRunner(parent, [home]);
  const keyring = new Keyring(run, [join(FIXTURES, 'keyring-helper')]);
  const state = join(home, 'state');
  const vault = (answers: readonly string[] = []) => new Vault(state, { keyring, ask: answering(answers) });
  const tools = { env: parent, run, keyring, vault: vault() };
  return {
    home,
    state,
    tools,
    vault,
    file: (name, content, mode = 0o600) => {
      const path = join(home, name);
      writeFileSync(path, content, { mode });
      return path;
    },
    resolve: async (source, timeLimit = 20_000) => {
      const rule = credentialRule({ target: bytesOfText('TARGET'), source, origin: 'test' });
      const values = await resolveCredentials([rule], tools, { timeLimit });
      return values.get(bytesOfText('TARGET'))?.reveal() ?? '';
    },
  };
}

function answering(answers: readonly string[]): () => Promise<Secret> {
  const left = [...answers];
  return () => {
    const answer = left.shift();
    return answer === undefined
      ? Promise.reject(new Error('asked too often'))
      : Promise.resolve(new Secret(bytesOfText(answer)));
  };
}
