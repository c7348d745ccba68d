import { describe, expect, it } from 'vitest';
import { mintFor } from '../../src/broker/mint.ts';
import type { BrokerRule } from '../../src/policy/broker.ts';
import { brokerRule, mintsFor } from '../../src/policy/broker-rule.ts';

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
