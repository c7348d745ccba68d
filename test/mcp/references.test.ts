import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { inMain, put, scene } from '../sessions/support.ts';
import { runCordon } from '../support/cordon.ts';
import { trustedFolder } from '../support/trusted-folder.ts';
import { USERS } from '../support/users.ts';
import { bash, Place } from './support.ts';
import { reach, TRANSPORTS } from './transports.ts';

/** Where the stand-ins of the password managers can be started by every user. */
function managers(): string {
  const folder = trustedFolder('managers');
  for (const name of ['op', 'bw'])
    cpSync(fileURLToPath(new URL(`../secrets/fixtures/bin/${name}`, import.meta.url)), join(folder, name));
  return folder;
}

const VALUES = { vault: 'from-the-vault-6a1d', op: 'from-1password-77e0', bw: 'from-bitwarden-c2b9' };
const SECRETS = `sandboxed_envs:
  FROM_VAULT: vault://kept
  FROM_OP: op://Work/openai/key
  FROM_BW: bw://github/password
  PLAIN_URL: postgres://db.example/app
`;
const PRINT = 'echo "$FROM_VAULT $FROM_OP $FROM_BW $PLAIN_URL"; env | grep -E "^(OP_|BW_)|AGE"; ls /workspace';
const PRINTED = `${VALUES.vault} ${VALUES.op} ${VALUES.bw} postgres://db.example/app`;
const SESSION_TOKENS = { OP_SESSION_my: 'token-of-op-11aa', BW_SESSION: 'unlocked' };

describe.each(USERS)('secrets.yaml with references, as %s', (user) => {
  const environment = (home: string) => ({ PATH: `${managers()}:/usr/bin:/bin`, HOME: home, ...SESSION_TOKENS });

  function keep(
    home: string,
    env: Readonly<Record<string, string>>,
    write: (path: string, text: string) => void,
  ): void {
    const set = runCordon(['creds', 'set', 'kept'], { user, home, env, input: `${VALUES.vault}\n` });
    if (set.code !== 0) throw new Error(set.stderr);
    write('op.value', VALUES.op);
    write('bw.value', VALUES.bw);
    write('bw.logged-in', '');
  }

  test.each(TRANSPORTS)(
    'a vault, 1Password and Bitwarden reach the sandbox over %s, and nothing else does',
    async (transport) => {
      const place = new Place(user);
      const env = { ...environment(place.home), CORDON_HOME: place.home };
      keep(place.home, env, (name, text) => place.write(join(place.home, name), text, 0o600));
      place.write(place.secretsOf('alice'), SECRETS, 0o600);
      const { client, pid, said } = await reach(transport, place, { env });
      expect((await bash(client, PRINT)).data.output).toBe(PRINTED);
      const seen = said() + readFileSync(`/proc/${pid}/environ`, 'latin1') + filesIn(join(place.home, 'state'));
      expect(said()).toContain('FROM_VAULT');
      for (const value of Object.values(VALUES)) expect(seen).not.toContain(value);
      rmSync(join(place.home, 'state/vault'), { recursive: true });
      expect((await bash(client, PRINT)).data.output).toBe(PRINTED);
      const next = place.start(['mcp', '--user', 'alice', '--workspace', place.workspaceOf('alice')], env);
      expect(await next.ended).toBe(125);
      await next.says(/users\/alice\/secrets\.yaml:2[\s\S]*FROM_VAULT/);
    },
  );

  test('a session of the library has them too, and one that is missing refuses by its name', async () => {
    const here = scene(user);
    const env = environment(here.root);
    keep(here.root, { ...env, CORDON_HOME: here.home }, (name, text) => put(here, name, text, 0o600));
    put(here, 'cordon/users/greg/secrets.yaml', SECRETS, 0o600);
    const [seen, later] = await inMain(
      here,
      `Object.assign(env, ${JSON.stringify(env)}); const s = await open(); const r = show(await s.bash(${JSON.stringify(PRINT)}));
       delete env.OP_SESSION_my; const later = await refused(open()); await s.close(); return [r.stdout, later];`,
    );
    expect(seen).toBe(`${PRINTED}\n`);
    expect(later).toMatchObject({
      where: expect.stringContaining('secrets.yaml:3'),
      message: expect.stringContaining('FROM_OP'),
    });
    expect(JSON.stringify(later)).not.toMatch(/6a1d|77e0|c2b9/);
  });
});

function filesIn(folder: string): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1')).join('\n');
}
