import { describe, expect, test } from 'vitest';
import { agentConfigOf } from '../../src/agents/config/read.ts';
import { BUILT_IN_ADAPTERS } from '../../src/agents/registry.ts';
import { USERS } from '../support/users.ts';
import { canaries, DUMP, leaked, Place } from './support.ts';

/** Adapters without code, as people add them. */
const CONFIGURED = `
[agents.house-agent]
command = ["house-agent", "--task={prompt}", ["--model", "{model}"]]
extra_keys = ["HOUSE_API_KEY"]
allow = ["HOUSE_*"]

[agents.stdin-agent]
command = ["stdin-agent", "--dir", "{workdir}"]
`;
const DESCRIBED = agentConfigOf({
  agents: {
    'house-agent': { command: ['house-agent'], extra_keys: ['HOUSE_API_KEY'] },
    'stdin-agent': { command: ['stdin-agent'] },
  },
});
const ADAPTERS = DESCRIBED.adapters.map(({ name, program, extraKeys, addresses }) => ({
  name,
  program,
  addresses,
  keys: [...extraKeys, ...(DESCRIBED.additions.get(name)?.keys ?? []).map((key): string => key.name)],
}));

test('the registry has the agents of the requirements, each with its own keys', () => {
  const table = Object.fromEntries(BUILT_IN_ADAPTERS.map(({ name, extraKeys }) => [name, extraKeys]));
  expect(table).toEqual({
    claude: ['ANTHROPIC_API_KEY'],
    codex: ['OPENAI_API_KEY', 'OPENAI_ORG_ID', 'OPENAI_BASE_URL'],
    gemini: ['GOOGLE_API_KEY', 'GOOGLE_CLOUD_PROJECT', 'GOOGLE_APPLICATION_CREDENTIALS', 'GEMINI_API_KEY'],
    qwen: ['OPENAI_API_KEY', 'OPENAI_BASE_URL'],
    aider: ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'AZURE_OPENAI_API_KEY'],
    amp: ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'SRC_ENDPOINT', 'SRC_ACCESS_TOKEN'],
    generic: [],
    manager: ['ANTHROPIC_API_KEY'],
    opencode: ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'OPENROUTER_API_KEY', 'OPENCODE_API_KEY'],
    cursor: ['CURSOR_API_KEY'],
    goose: ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GOOGLE_API_KEY', 'OPENROUTER_API_KEY'],
    copilot: ['COPILOT_GITHUB_TOKEN'],
  });
});

const everyKey = [...new Set(ADAPTERS.flatMap(({ keys }) => keys))];
const keyValue = (name: string) => (/URL|ENDPOINT/.test(name) ? 'https://gateway.internal/v1' : `key-of-${name}`);
const ALL_KEYS = Object.fromEntries(everyKey.map((name) => [name, keyValue(name)]));

describe.each(USERS)('as %s', (user) => {
  test.each(ADAPTERS)(
    '$name finds its own keys and no secret of the operator',
    ({ name, program, keys, addresses }) => {
      const place = new Place(user);
      const planted = canaries();
      place.toml(CONFIGURED);
      place.standIn(program);
      const { code, stderr } = place.cordon(['agent', 'run', name, 'do something'], { ...planted, ...ALL_KEYS });
      expect({ code, stderr: stderr.replace(/^cordon: warning: .*\n/gm, '') }).toEqual({ code: 0, stderr: '' });
      expect(leaked(planted, place.found())).toEqual([]);
      const got = place.environment();
      expect(everyKey.filter((key) => key in got && !addresses.includes(key)).toSorted()).toEqual(
        keys.filter((key) => !addresses.includes(key)).toSorted(),
      );
      expect(leaked(ALL_KEYS, place.arguments().join('\n').replaceAll('https://gateway.internal/v1', ''))).toEqual([]);
    },
  );

  test('an adapter that lets a secret through is noticed', () => {
    const place = new Place(user);
    const planted = canaries();
    place.toml('[agents.leaky]\ncommand = ["leaky"]\nextra_keys = ["PROOF_ENV"]\n');
    place.standIn('leaky', DUMP);
    place.cordon(['agent', 'run', 'leaky', 'do something'], planted);
    expect(leaked(planted, place.found())).toEqual(['PROOF_ENV']);
  });

  test('without Cordon the stand-in finds them all', () => {
    const place = new Place(user);
    const planted = canaries();
    place.standIn('claude');
    const { code } = place.cordon(['run', '--base', 'all', '--isolation', 'filter', '--', 'claude'], planted);
    expect({ code, leaked: leaked(planted, place.found()).length }).toEqual({ code: 0, leaked: 11 });
  });
});
