import { chownSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import tls from 'node:tls';
import { describe, expect, it } from 'vitest';
import { Issuer } from '../../src/broker/authority.ts';
import { readRecords } from '../../src/network/read-records.ts';
import { type LogInName, logInOf } from '../../src/policy/log-ins.ts';
import { AUTHORITY, FILES, fileOf, HOSTS, realTokens, TOKENS } from '../broker/log-in-scene.ts';
import { cordonProgram } from '../support/cordon.ts';
import { identityOf } from '../support/users.ts';
import { startModel } from './model/server.ts';
import { AgentScene } from './scene.ts';

const AGENTS: readonly { readonly name: LogInName; readonly model: string }[] = [
  { name: 'claude', model: 'claude-sonnet-4-5' },
  { name: 'codex', model: 'gpt-5' },
  { name: 'gemini', model: 'gemini-2.5-pro' },
];

/** Codex asks where it is to go: before the renewal by the one of these, then by the other. */
const ACCOUNTS = ['acc-0', 'acc-1'].map((id) => ({
  id,
  workspace_backend_origin: 'https://chatgpt.com',
  account_routing_override: 'NO_CONSTRAINT',
}));

/** What agents want to know before they begin. */
const KNOWN: Readonly<Record<string, object>> = {
  '/backend-api/wham/accounts/check': { accounts: ACCOUNTS, account_ordering: [] },
  '/tokeninfo': { expires_in: 3000, scope: 'openid' },
  '/oauth2/v2/userinfo': { email: 'someone@example.com' },
  '/v1internal:loadCodeAssist': {
    currentTier: { id: 'standard-tier', name: 'standard' },
    cloudaicompanionProject: 'project',
  },
  '/v1internal:retrieveUserQuota': { buckets: [] },
};

const NO_KEYS = { ANTHROPIC_API_KEY: '', OPENAI_API_KEY: '', GEMINI_API_KEY: '' };

describe.each(AGENTS)('the subscription of $name', ({ name, model: modelName }) => {
  it('is renewed outside and used for the whole work of the agent, and is nowhere inside', async () => {
    const scene = new AgentScene('.other/auth.json');
    const issuer = new Issuer(AUTHORITY);
    let number = 0;
    const model = await startModel(
      'sh ./look-around.sh; echo looked',
      { SNICallback: (host, done) => done(null, tls.createSecureContext(issuer.leafFor(host))) },
      (request, body) => {
        const { url = '' } = request;
        const known = Object.entries(KNOWN).find(([path]) => url === path);
        if (known !== undefined) return known[1];
        if (url !== logInOf(name).path) return undefined;
        const said = body.startsWith('{') ? JSON.parse(body) : Object.fromEntries(new URLSearchParams(body));
        if (said.refresh_token !== TOKENS[name](number).refresh_token) return { error: 'invalid_grant' };
        return {
          token_type: 'Bearer',
          expires_in: 28_800,
          scope: 'user:inference user:profile',
          ...TOKENS[name](++number),
        };
      },
    );
    const file = join(scene.home, FILES[name]);
    const { uid, gid } = identityOf('cordon-test');
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify(fileOf(name, 0)), { mode: 0o600 });
    // Codex would send what it asks in a form that this model does not read.
    const settings = join(dirname(file), 'config.toml');
    writeFileSync(settings, '[features]\nenable_request_compression = false\n');
    if (name === 'gemini')
      writeFileSync(join(dirname(file), 'settings.json'), '{"security":{"auth":{"selectedType":"oauth-personal"}}}');
    for (const path of [dirname(file), file, settings]) chownSync(path, uid, gid);
    try {
      const ca = join(scene.home, 'company.pem');
      writeFileSync(ca, AUTHORITY.certificate);
      const port = new URL(model.address).port;
      const net = HOSTS.flatMap((host) => ['--net', `${host}=127.0.0.1:${port}`]);
      const argv = [cordonProgram(), 'agent', 'run', name, '--broker', ...net, '--model', modelName];
      const ran = await scene.run([...argv, 'Look around in this folder.'], { NODE_EXTRA_CA_CERTS: ca, ...NO_KEYS });
      const dump = scene.dump();
      const all = [ran.code, ran.stdout.slice(-3000), ran.stderr.slice(-3000), ...model.requests].join('\n');
      expect(ran.code, all).toBe(0);
      expect(ran.stdout, all).toContain('All done.');
      expect(dump, all).toContain('== end');
      // The token was too old, so that it was renewed first; the model got the new one, and the file has it.
      expect(number, all).toBe(1);
      expect(
        model.keys.some((key) => key.includes(TOKENS[name](1).access_token ?? '?')),
        all,
      ).toBe(true);
      expect(readFileSync(file, 'utf8')).toContain(TOKENS[name](1).refresh_token);
      expect(statSync(file).mode & 0o777).toBe(0o600);
      for (const token of realTokens(name)) expect(dump + ran.stdout + ran.stderr).not.toContain(token);
      const records = readRecords(join(scene.home, '.local/state/cordon'));
      expect(records.filter(({ rule }) => rule === 'renewed')).toHaveLength(1);
    } finally {
      model.close();
    }
  });
});
