import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import tls from 'node:tls';
import { describe, expect, it } from 'vitest';
import { Issuer, newAuthority } from '../../src/broker/authority.ts';
import { readRecords } from '../../src/network/read-records.ts';
import { hostOf } from '../broker/support.ts';
import { cordonProgram } from '../support/cordon.ts';
import { startModel } from './model/server.ts';
import { AgentScene } from './scene.ts';

interface Agent {
  readonly name: string;
  readonly model: string;
  readonly key: 'ANTHROPIC_API_KEY' | 'OPENAI_API_KEY' | 'GEMINI_API_KEY';
  /** The model's real name, by which it is asked. */
  readonly host: string;
  readonly more?: Readonly<Record<string, string>>;
}

const OPENAI = { key: 'OPENAI_API_KEY', host: 'api.openai.com' } as const;
const ANTHROPIC = { key: 'ANTHROPIC_API_KEY', host: 'api.anthropic.com' } as const;

const AGENTS: readonly Agent[] = [
  { name: 'claude', model: 'claude-sonnet-4-5', ...ANTHROPIC },
  { name: 'codex', model: 'gpt-5', ...OPENAI },
  { name: 'gemini', model: 'gemini-2.5-pro', key: 'GEMINI_API_KEY', host: 'generativelanguage.googleapis.com' },
  { name: 'qwen', model: 'qwen3-coder', ...OPENAI, more: { OPENAI_BASE_URL: 'https://api.openai.com/v1' } },
  { name: 'opencode', model: 'anthropic/claude-sonnet-4-5', ...ANTHROPIC },
];

/** All that a key of one of them could be sent to: each leads to the model of this test. */
const HOSTS = [
  'api.anthropic.com',
  'api.openai.com',
  'generativelanguage.googleapis.com',
  'aiplatform.googleapis.com',
] as const;

describe.each(AGENTS)('$name with --broker', (agent) => {
  it('does its work by the real name of its model, with a key that is nowhere inside', async () => {
    const scene = new AgentScene('.other/auth.json');
    const authority = newAuthority(HOSTS.map(hostOf));
    const issuer = new Issuer(authority);
    const model = await startModel('sh ./look-around.sh; echo looked', {
      SNICallback: (name, done) => done(null, tls.createSecureContext(issuer.leafFor(name))),
    });
    try {
      const ca = join(scene.home, 'company.pem');
      writeFileSync(ca, authority.certificate);
      const port = new URL(model.address).port;
      const net = HOSTS.flatMap((host) => ['--net', `${host}=127.0.0.1:${port}`]);
      const argv = [cordonProgram(), 'agent', 'run', agent.name, '--broker', ...net, '--model', agent.model];
      const ran = await scene.run([...argv, 'Look around in this folder.'], { NODE_EXTRA_CA_CERTS: ca, ...agent.more });
      const dump = scene.dump();
      const all = [ran.code, ran.stdout.slice(-3000), ran.stderr.slice(-3000), ...model.requests].join('\n');
      expect(ran.code, all).toBe(0);
      expect(ran.stdout, all).toContain('All done.');
      expect(dump, all).toContain('== end');
      // The server got the key itself, the agent and its shell only what stands for it.
      const value = scene.keys[agent.key];
      expect(model.keys.filter((key) => key.includes(value)).length, all).toBeGreaterThan(1);
      expect(scene.keysIn(dump + ran.stdout + ran.stderr + scene.written() + model.bodies.join('\n'))).toEqual([]);
      expect(dump, all).toContain(`${agent.key}=cordon_`);
      const records = readRecords(join(scene.home, '.local/state/cordon')).filter(({ name }) => name === agent.host);
      expect(records.some(({ credentials, verdict }) => verdict === 'allowed' && credentials?.[0] === agent.key)).toBe(
        true,
      );
    } finally {
      model.close();
    }
  });
});
