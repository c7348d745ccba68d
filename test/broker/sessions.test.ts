import { describe, expect, test } from 'vitest';
import { inMain, put, scene, VALUES } from '../sessions/support.ts';
import { USERS } from '../support/users.ts';
import { NAME, SERVERS, serverOf } from './support.ts';

const SHOW = `printf '%s\\n' "$GITHUB_TOKEN" "$OPENAI_API_KEY"; curl -sS -H "Authorization: Bearer $GITHUB_TOKEN" https://${NAME}/; curl -sS -H "Authorization: Bearer $OPENAI_API_KEY" https://${NAME}/ | tail -1`;

describe.each(USERS)('a session, as %s', (user) => {
  test("each user's own value is sent, and is in no sandbox", async () => {
    const seen: (string | undefined)[] = [];
    const port = await serverOf((req, res) => {
      seen.push(req.headers.authorization);
      res.end('hello\n');
    });
    const of = scene(user);
    const ca = put(of, 'company.pem', SERVERS.certificate);
    put(of, 'cordon/users/ada/secrets.yaml', 'sandboxed_envs:\n  GITHUB_TOKEN: ghp-ada-1111-eeee\n', 0o600);
    const brokered = (target: string, host: string) => ({ target, source: `env://${target}`, for: [host] });
    const profile = put(
      of,
      'cordon/profiles/p.json',
      JSON.stringify({
        env_credentials: [brokered('GITHUB_TOKEN', NAME), brokered('OPENAI_API_KEY', 'other.test')],
        network: { allow: [`${NAME}=127.0.0.1:${port}`] },
      }),
    );
    const results = await inMain(
      of,
      `
      const more = { profile: ${JSON.stringify(profile)}, env: { ...env, SSL_CERT_FILE: ${JSON.stringify(ca)} } };
      const sessions = [await open(more), await open({ ...more, user: 'ada' })];
      const results = await Promise.all(sessions.map((session) => session.bash(${JSON.stringify(SHOW)})));
      for (const session of sessions) await session.close();
      return results.map(show);`,
    );
    for (const { stdout, stderr } of results) {
      const [github, openai, answer, refused] = stdout.split('\n');
      expect(github, stderr).toMatch(/^cordon_github_token_[0-9A-Za-z]{32}$/);
      expect(openai).toMatch(/^(?:cordon_openai_api_key_|sk-)/);
      expect(answer).toBe('hello');
      expect(refused).toContain('(rule: host)');
    }
    expect(seen.toSorted()).toEqual([`Bearer ${VALUES.GITHUB_TOKEN}`, 'Bearer ghp-ada-1111-eeee'].toSorted());
    expect(JSON.stringify(results)).not.toMatch(/ghp-|sk-greg|sk-global/);
  });

  test('has no keys of an ssh-agent', async () => {
    const of = scene(user);
    const text = JSON.stringify({ ssh_keys: [{ key: 'work', for: ['github.com'] }] });
    const profile = put(of, 'cordon/profiles/p.json', text);
    const said = await inMain(
      of,
      `return open({ profile: ${JSON.stringify(profile)} }).then(() => 'opened', (error) => error.message);`,
    );
    expect(said).toContain('keys of an ssh-agent are not for sessions');
  });
});
