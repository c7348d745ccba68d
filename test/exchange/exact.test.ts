import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Decision, decide } from '../../src/decide/decide.ts';
import { Draft } from '../../src/exchange/draft.ts';
import { codex } from '../../src/exchange/from/codex.ts';
import { gemini } from '../../src/exchange/from/gemini.ts';
import type { Importer } from '../../src/exchange/from/importer.ts';
import { ParentEnv } from '../../src/host/parent-env.ts';
import type { Policy } from '../../src/policy/policy.ts';
import { loadPolicy } from '../../src/policy/profile/load-policy.ts';
import type { ProfileData } from '../../src/policy/profile/schema.ts';
import { EVERYTHING } from '../support/extent.ts';
import { type CodexPolicy, codexEnvironment, type GeminiPolicy, geminiVerdict, type Variables } from './reference.ts';

const POLICIES = EVERYTHING ? 5_000 : 50;
const ENVIRONMENTS = 20;

/** Names that meet rules of all kinds, in all cases; ASCII, as the sources' own patterns know no other letters. */
const name = fc.oneof(
  fc.constantFrom('PATH', 'path', 'HOME', 'Lang', 'LC_ALL', 'TMPDIR', 'USER', 'AWS_REGION', 'MY_TOKEN', 'my_token'),
  fc.constantFrom('API_KEY', 'Secret', 'FOO', 'foo', 'FOO_BAR', 'DATABASE_URL', 'GEMINI_CLI_X', 'TITLE', 'KEYBOARD'),
  fc.constantFrom('LD_PRELOAD', 'NODE_OPTIONS', 'SSH_AUTH_SOCK', 'CORDON_HOME', 'GITHUB_SHA', 'SURFACE', 'A[B', 'A.B'),
  fc.string({ unit: fc.constantFrom('A', 'B', 'a', '_', '1', '[', '.', '-'), minLength: 1, maxLength: 5 }),
);
const value = fc.constantFrom(
  '',
  '1',
  '/bin:/usr/bin',
  'text',
  'Github',
  'https://example.com/a',
  '() { :; }',
  'de_DE',
);
const environment = fc.uniqueArray(fc.tuple(name, value), { selector: ([one]) => one, maxLength: 12 });
const pattern = fc.oneof(
  name,
  fc
    .array(fc.constantFrom('A', 'B', 'a', '_', '*', '?', '[', 'FOO', 'KEY', '.'), { maxLength: 4 })
    .map((one) => one.join('')),
);
const patterns = fc.array(pattern, { maxLength: 3 });
const settable = fc.constantFrom('FOO', 'BAR', 'AB', 'NEW_MODE');

function parentOf(variables: Variables): ParentEnv {
  return ParentEnv.fromBlock(Buffer.from([...variables].map(([key, text]) => `${key}=${text}\0`).join(''), 'latin1'));
}

async function imported(importer: Importer, data: object, env: ParentEnv): Promise<Policy> {
  const draft = new Draft();
  const beside = async () => undefined;
  await importer.read(
    { path: '', text: '', data: data as never, env, home: '/home/u', only: undefined, beside },
    draft,
  );
  return loadPolicy({ profile: draft.profile as ProfileData, home: '/home/u', workdir: '/' });
}

/** Of the environment an import asks only whether it is in GitHub Actions, so each policy is imported at most twice. */
function once(): (importer: Importer, data: object, env: ParentEnv, key: string) => Promise<Policy> {
  const known = new Map<string, Promise<Policy>>();
  return (importer, data, env, key) => {
    const policy = known.get(key) ?? imported(importer, data, env);
    known.set(key, policy);
    return policy;
  };
}

const isStrict = (variables: Variables) =>
  (variables.get('GITHUB_SHA') ?? '') !== '' || variables.get('SURFACE') === 'Github';

/** The table of named differences: what Cordon keeps back whatever a policy says. Nothing is ever let through besides. */
const NAMED: Readonly<Record<string, (decision: Decision) => boolean>> = {
  'code-injection list': ({ rule }) => rule.startsWith('never '),
  "Cordon's own variables": ({ rule }) => rule.startsWith('control '),
  'hands over authority, so only an exact name passes it': ({ rule }) => rule.startsWith('hold '),
  'a value that steers which file is read': ({ rule }) => rule.startsWith('check '),
  'a shell function in a value': ({ rule }) => rule === 'value () {',
  'the guard knows more names and values': ({ rule }) => rule.startsWith('guard '),
};
const isNamed = (decision: Decision) => Object.values(NAMED).some((explains) => explains(decision));

interface Tally {
  compared: number;
  different: string[];
  named: number;
}

/** Once for every variable that is there: the same verdict, or a named difference in which Cordon passes less. */
function compare(policy: Policy, variables: Variables, passes: (name: string) => boolean, tally: Tally): void {
  for (const decision of decide(policy, parentOf(variables))) {
    const [here, there] = [decision.verdict !== 'drop', passes(decision.name)];
    tally.compared++;
    if (here === there) continue;
    if (!here && isNamed(decision)) tally.named++;
    else tally.different.push(`${decision.name}: ${decision.rule} here, ${there ? 'passes' : 'dropped'} there`);
  }
}

const codexPolicy: fc.Arbitrary<CodexPolicy> = fc.record(
  {
    inherit: fc.constantFrom('all' as const, 'core' as const, 'none' as const),
    ignore_default_excludes: fc.boolean(),
    exclude: patterns,
    set: fc.dictionary(settable, fc.constantFrom('1', '$HOME/x', '$$HOME', 'a b')),
    include_only: patterns,
  },
  { requiredKeys: [] },
);

const geminiPolicy: fc.Arbitrary<GeminiPolicy> = fc.record(
  { enabled: fc.boolean(), allowed: fc.array(name, { maxLength: 3 }), blocked: fc.array(name, { maxLength: 3 }) },
  { requiredKeys: [] },
);

const seed = () => Number(process.env.CORDON_TEST_SEED);
const drawn = <T>(policy: fc.Arbitrary<T>) =>
  fc.sample(fc.tuple(policy, fc.array(environment, { minLength: ENVIRONMENTS, maxLength: ENVIRONMENTS })), {
    seed: seed(),
    numRuns: POLICIES,
  });

describe('imported policies decide as their own tool does', () => {
  test(`Codex: ${POLICIES * ENVIRONMENTS} policies and environments`, { timeout: 300_000 }, async () => {
    const tally: Tally = { compared: 0, different: [], named: 0 };
    for (const [rules, environments] of drawn(codexPolicy)) {
      const policy = await imported(codex, { shell_environment_policy: rules }, parentOf(new Map()));
      for (const entries of environments) {
        const variables = new Map(entries);
        const expected = codexEnvironment(rules, variables);
        compare(policy, variables, (one) => expected.has(one), tally);
        for (const { name: key, value: text } of policy.set)
          if (expected.get(key) !== text) tally.different.push(`${key} has another value`);
      }
    }
    expect(tally.different.slice(0, 5)).toEqual([]);
    expect(tally.compared).toBeGreaterThan(POLICIES * ENVIRONMENTS);
    expect(tally.named).toBeGreaterThan(0);
  });

  test(`Gemini CLI: ${POLICIES * ENVIRONMENTS} policies and environments`, { timeout: 300_000 }, async () => {
    const tally: Tally = { compared: 0, different: [], named: 0 };
    for (const [rules, environments] of drawn(geminiPolicy)) {
      const importedOnce = once();
      for (const entries of environments) {
        const variables = new Map(entries);
        const settings = { security: { environmentVariableRedaction: rules } };
        const policy = await importedOnce(gemini, settings, parentOf(variables), String(isStrict(variables)));
        compare(policy, variables, (one) => geminiVerdict(rules, variables, one) !== 'redact', tally);
      }
    }
    expect(tally.different.slice(0, 5)).toEqual([]);
    expect(tally.compared).toBeGreaterThan(POLICIES * ENVIRONMENTS);
    expect(tally.named).toBeGreaterThan(0);
  });

  test('what only a value gives away to Gemini CLI is a point that has to be accepted', async () => {
    const draft = new Draft();
    const data = { security: { environmentVariableRedaction: { enabled: true } } };
    const input = { path: '', text: '', data, env: parentOf(new Map()), home: undefined, only: undefined };
    await gemini.read({ ...input, beside: async () => undefined }, draft);
    expect(draft.rows).toContainEqual(expect.objectContaining({ key: '(values)', fate: 'wider' }));
  });
});
