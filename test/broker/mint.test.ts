import { describe, expect, it } from 'vitest';
import { mintFor } from '../../src/broker/mint.ts';
import type { BrokerRule } from '../../src/policy/broker.ts';
import { brokerRule, mintsFor, shapesFor } from '../../src/policy/broker-rule.ts';
import { ask, bearer, frontOf, hostOf, NAME, secureTo, serverOf } from './support.ts';

const RULES = mintsFor([brokerRule({ for: ['@github'], as: [], methods: [], paths: [] }) as BrokerRule]);
const at = (target: string, method = 'POST') =>
  mintFor(RULES, { name: 'api.github.com', port: 443 }, { method, target, headers: [] });

describe('an address that hands out credentials', () => {
  it.each([
    '/app/installations/1/access_tokens',
    '/app/installations/1/access%5ftokens',
    '//app/installations//1/access_tokens/',
    '/app/x/../installations/1/./access_tokens?a=b',
    '/app/installations/1/access%255Ftokens',
    '/App/Installations/1/Access_Tokens',
    '/app/installations/1/access_tokens;v=1',
  ])('is known as %s', (target) => {
    expect(at(target)?.fields).toEqual(['token']);
  });

  it('is known where another header says the method', () => {
    const headers = [['X-HTTP-Method-Override', 'POST']] as const;
    const head = { method: 'GET', target: '/app/installations/1/access_tokens', headers };
    expect(mintFor(RULES, { name: 'api.github.com', port: 443 }, head)?.fields).toEqual(['token']);
  });

  const GITLAB = mintsFor([brokerRule({ for: ['@gitlab'], as: [], methods: [], paths: [] }) as BrokerRule]);
  it.each([
    ...['personal_access_tokens/self/rotate', 'personal_access_tokens/7/rotate', 'user/personal_access_tokens'],
    ...['projects/7/access_tokens', 'groups/7/access_tokens/8/rotate', 'projects/7/deploy_tokens', 'user/runners'],
    ...['users/7/impersonation_tokens', 'projects/7/triggers', 'projects/7/runners/reset_registration_token'],
    ...['runners/7/reset_authentication_token', 'projects/7/cluster_agents/8/tokens'],
  ])('is known at GitLab as %s', (target) => {
    const head = { method: 'POST', target: `/api/v4/${target}`, headers: [] };
    expect(mintFor(GITLAB, { name: 'gitlab.com', port: 443 }, head)).toBeDefined();
  });

  it('is not what only has such a name in it', () => {
    expect(at('/repos/a/b/contents/access_tokens')).toBeUndefined();
    expect(at('/app/installations/1/access_tokens', 'GET')).toBeUndefined();
  });
});

const ruleOf = (service: string) => brokerRule({ for: [`@${service}`], as: [], methods: [], paths: [] }) as BrokerRule;

describe('an address that answers with a credential', () => {
  it.each([
    ...['gitlab GET gitlab.com /jwt/auth?service=container_registry', 'gitlab POST gitlab.com /api/v4/applications'],
    ...['openai POST api.openai.com /v1/chatkit/sessions', 'openrouter POST openrouter.ai /api/v1/auth/keys'],
    ...['xai POST api.x.ai /v1/realtime/client_secrets', 'perplexity POST api.perplexity.ai /generate_auth_token'],
    ...['dashscope POST dashscope.aliyuncs.com /api/v1/tokens?expire_in_seconds=1800'],
    ...['elevenlabs POST api.elevenlabs.io /v1/single-use-token/realtime_scribe'],
    ...['elevenlabs POST api.elevenlabs.io /v1/service-accounts/7/api-keys'],
    ...['npm GET registry.npmjs.org /-/v1/done?authId=7', 'pypi POST test.pypi.org /_/oidc/mint-token'],
    ...[
      'rubygems GET rubygems.org /api/v1/api_key.json',
      'rubygems POST rubygems.org /api/v1/oidc/trusted_publisher/x',
    ],
    ...['docker POST hub.docker.com /v2/orgs/acme/access-tokens', 'docker POST hub.docker.com /v2/users/2fa-login'],
    ...['slack GET slack.com /api/oauth.v2.access', 'slack POST slack.com /api/oauth.access'],
    ...['slack GET slack.com /api/tooling.tokens.rotate', 'slack POST slack.com /api/apps.manifest.create'],
    ...[
      'sentry POST de.sentry.io /api/0/api-tokens/',
      'sentry POST us.sentry.io /api/0/organizations/a/org-auth-tokens/',
    ],
    ...[
      'sentry POST sentry.io /api/0/sentry-app-installations/7/authorizations/',
      'sentry POST sentry.io /oauth/token/',
    ],
    ...['stripe POST api.stripe.com /v1/terminal/connection_tokens'],
    ...['cloudflare GET api.cloudflare.com /client/v4/accounts/7/cfd_tunnel/8/token'],
    ...['cloudflare POST api.cloudflare.com /client/v4/accounts/7/r2/temp-access-credentials'],
    ...[
      'cloudflare PUT api.cloudflare.com /client/v4/user/tokens/7/value',
      'vercel POST api.vercel.com /v5/user/tokens',
    ],
    ...['digitalocean GET api.digitalocean.com /v2/kubernetes/clusters/7/kubeconfig'],
    ...['digitalocean POST api.digitalocean.com /v2/spaces/keys', 'datadog GET api.datadoghq.com /api/v2/api_keys/7'],
    ...['datadog POST api.datadoghq.eu /api/v2/current_user/application_keys'],
  ])('is known: %s', (said) => {
    const [service = '', method = '', name = '', target = ''] = said.split(' ');
    const head = { method, target, headers: [] };
    expect(mintFor(mintsFor([ruleOf(service)]), { name, port: 443 }, head)).toBeDefined();
  });

  it.each([
    ...['gitlab GET gitlab.com /api/v4/projects/7', 'openai POST api.openai.com /v1/responses'],
    ...['npm GET registry.npmjs.org /left-pad', 'docker GET hub.docker.com /v2/repositories/a/b/tags'],
    ...['slack POST slack.com /api/chat.postMessage', 'sentry GET sentry.io /api/0/projects/a/b/keys/'],
    ...['cloudflare GET api.cloudflare.com /client/v4/accounts/7/cfd_tunnel', 'vercel GET api.vercel.com /v9/projects'],
    ...[
      'digitalocean GET api.digitalocean.com /v2/kubernetes/clusters/7',
      'datadog GET api.datadoghq.com /api/v1/query',
    ],
    ...['stripe POST api.stripe.com /v1/payment_intents', 'elevenlabs GET api.elevenlabs.io /v1/voices'],
  ])('is not any other: %s', (said) => {
    const [service = '', method = '', name = '', target = ''] = said.split(' ');
    const head = { method, target, headers: [] };
    expect(mintFor(mintsFor([ruleOf(service)]), { name, port: 443 }, head)).toBeUndefined();
  });

  /** Put together, so that nobody takes them for keys of someone. */
  const random = 'Zx9Kq2Lm7Rt4Vb8Nc3Pd6Hf1Js5Wg0Ye2Ua4';
  const hex = '0123456789abcdef'.repeat(5);
  it.each<[string, string]>([
    ['github', `ghs_${random}`],
    ['github', `github_pat_${random}${random}`],
    ['gitlab', `glpat-${random.slice(0, 20)}`],
    ['gitlab', `glrt-t1_${random.slice(0, 20)}.01.0w${random.slice(0, 7)}`],
    ['gitlab', `GR1348941${random.slice(0, 20)}`],
    ['anthropic', `sk-ant-oat01-${random}`],
    ['openai', `sk-proj-${random}`],
    ['openai', `sk-svcacct-${random}_${random}`],
    ['openrouter', `sk-or-v1-${hex.slice(0, 64)}`],
    ['npm', `npm_${random}`],
    ['pypi', `pypi-${random}${random}`],
    ['crates', `cio${random.slice(0, 32)}`],
    ['rubygems', `rubygems_${hex.slice(0, 48)}`],
    ['docker', `dckr_pat_${random.slice(0, 27)}`],
    ['huggingface', `hf_${random}`],
    ['slack', `xoxb-1234567890-1234567890-${random.slice(0, 24)}`],
    ['slack', `xoxe.xoxp-1-${random}`],
    ['linear', `lin_api_${random}${random.slice(0, 4)}`],
    ['notion', `ntn_${random}${random.slice(0, 10)}`],
    ['sentry', `sntrys_${random}=_${random}`],
    ['stripe', `rk_live_${random}`],
    ['digitalocean', `dop_v1_${hex.slice(0, 64)}`],
  ])('and that nobody listed is known by what comes: of %s', (service, token) => {
    const [shape] = shapesFor([ruleOf(service)]);
    expect(new RegExp(`^(?:${shape?.token})$`).test(token)).toBe(true);
    expect(new RegExp(`^(?:${shape?.token})$`).test(`${token.slice(0, 12)}...${token.slice(-4)}`)).toBe(false);
  });
});

/** A server at the host of a service, which answers with this. */
async function answered(type: string, pieces: readonly string[], service = 'github', headers = bearer) {
  const port = await serverOf((_req, res) => {
    res.writeHead(200, { 'content-type': type });
    const [first = '', ...rest] = pieces;
    res.write(first);
    // Each in a record of its own.
    for (const [at, piece] of rest.entries()) setTimeout(() => res.write(piece), 20 * (at + 1));
    setTimeout(() => res.end(), 20 * (rest.length + 1));
  });
  const shapes = shapesFor([ruleOf(service)]).map(({ token }) => ({ host: hostOf(NAME), token }));
  const front = await frontOf(port, { shapes });
  return { ...(await ask(front, { headers })), records: front.records };
}

describe("a service's own token in its answer", () => {
  const token = ['ghs', 'Zx9Kq2Lm7Rt4Vb8Nc3Pd6Hf1Js5Wg0Ye2Ua4'].join('_');
  const stars = '*'.repeat(token.length);

  it.each(['application/json; charset=utf-8', 'application/vnd.github+json', 'application/xml', 'text/javascript'])(
    'is covered in %s, wherever it is cut',
    async (type) => {
      const [before, after] = ['{"id":7,"token":"', '","permissions":{}}'];
      const whole = `${before}${token}${after}`;
      for (const cut of [before.length - 1, before.length, before.length + 3, before.length + 20, whole.length - 18]) {
        const { body, records } = await answered(type, [whole.slice(0, cut), whole.slice(cut)]);
        expect(body).toBe(`${before}${stars}${after}`);
        expect(records).toMatchObject([{ verdict: 'swapped', rule: 'token' }]);
      }
    },
  );

  it('is covered in a form, up to its end', async () => {
    const { body } = await answered('application/x-www-form-urlencoded', ['scope=repo&access_', `token=${token}`]);
    expect(body).toBe(`scope=repo&access_token=${stars}`);
  });

  it.each([
    ['application/json', `{"body":"an example: ${token}"}`],
    ['application/json', '{"next_page_token":"CAUQAA==","token":"Hello","client_secret":"pi_1_secret_2"}'],
    ['application/json', `{"token":"ghs_...${token.slice(-4)}"}`],
    ['text/plain', `TOKEN="${token}"\n`],
    ['application/octet-stream', `"${token}"`],
    ['text/event-stream', `data: {"token":"${token}"}\n\n`],
  ])('is not what only holds one, or looks otherwise: %s %s', async (type, text) => {
    const { body, records } = await answered(type, [text.slice(0, 9), text.slice(9)]);
    expect(body).toBe(text);
    expect(records).toMatchObject([{ verdict: 'swapped' }]);
    expect(records[0]?.rule).toBeUndefined();
  });

  it('is left to who sent no credential, and at other hosts', async () => {
    const text = `{"token":"${token}"}`;
    expect((await answered('application/json', [text], 'github', { authorization: 'none' })).body).toBe(text);
    expect((await answered('application/json', [text], 'npm')).body).toBe(text);
  });

  it('does not hold up what is sent piece by piece', async () => {
    const port = await serverOf((_req, res) => {
      res.writeHead(200, { 'content-type': 'application/json' });
      res.write('[{"text":"one"},\n');
    });
    const shapes = shapesFor([ruleOf('github')]).map(({ token: one }) => ({ host: hostOf(NAME), token: one }));
    const socket = await secureTo(await frontOf(port, { shapes }));
    socket.write(`GET / HTTP/1.1\r\nHost: ${NAME}\r\nAuthorization: ${bearer.authorization}\r\n\r\n`);
    let said = '';
    for await (const more of socket) {
      said += more;
      if (said.includes('"one"},')) break;
    }
    expect(said).toContain('[{"text":"one"},\n');
  });
});
