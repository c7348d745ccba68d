import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { agentConfigOf } from '../../src/agents/config/read.ts';
import { agentPolicy } from '../../src/agents/policy.ts';
import { findAdapter } from '../../src/agents/registry.ts';
import type { Decision } from '../../src/decide/decide.ts';
import { type Bytes, bytesOfText } from '../../src/host/bytes.ts';
import { CONTROL_VARIABLES } from '../../src/host/control.ts';
import {
  CordonError,
  DEFAULT_POLICY,
  loadPolicy,
  openSession,
  ParentEnv,
  type Policy,
  prepare,
  prepareSpec,
  SandboxSpecBuilder,
  SandboxSpecForbidden,
  Secret,
  seal,
} from '../../src/index.ts';
import { Pattern } from '../../src/policy/pattern.ts';
import { NEVER } from '../../src/policy/presets/injection.ts';
import { policyOf, withoutPolicy } from '../../src/tools/tool-policy.ts';
import { put, scene } from '../sessions/support.ts';
import { freshHome, runCordon } from '../support/cordon.ts';
import { SELF } from '../support/users.ts';

const VALUE = 'planted-value';

/** Names of the code-injection list, Cordon's own, and what is no name at all. */
const LISTED = NEVER.flatMap(({ names }) => names);
const listed = fc
  .tuple(fc.constantFrom(...LISTED), fc.stringMatching(/^[A-Z_]{1,8}$/))
  .map(([name, tail]) => name.replaceAll('*', tail).replaceAll('?', 'X'))
  .filter((name) => !/[[\]]/.test(name));
const never = fc.oneof(
  { weight: 6, arbitrary: listed },
  { weight: 2, arbitrary: fc.constantFrom<string>(...CONTROL_VARIABLES) },
  { weight: 1, arbitrary: fc.constantFrom('', '=', 'A=B', 'A\0B', '\0') },
);
/** As a target of a credential also these, and all of them in any case. */
const target = fc.oneof(
  fc.constantFrom('PATH', 'HOME', 'SHELL', 'Path', 'home'),
  never,
  never.map((name) => name.toLowerCase()),
);

const ORIGIN = 'test';
const rule = (name: string) => ({ name: bytesOfText(name), value: bytesOfText(VALUE), origin: ORIGIN });
const credential = (name: string) => ({ target: bytesOfText(name), source: 'vault://x', origin: ORIGIN });
const secrets = (name: string) => ({ [name]: new Secret(bytesOfText(VALUE)) });
const argv = ['true'] as const;
const env = { PATH: '/usr/bin:/bin' };

const prepared = (policy: Partial<Policy>, name?: string, more: Readonly<Record<string, string>> = {}) =>
  prepare({
    argv,
    env: { ...env, ...more },
    policy,
    workdir: '/',
    credentials: name === undefined ? {} : secrets(name),
  }).plan.env;

const byHand = (name: string, verdict: Decision['verdict']) =>
  seal([{ name: bytesOfText(name), verdict, rule: 'by hand', origin: ORIGIN, reason: 'by hand' }], {
    policy: { ...DEFAULT_POLICY, set: [rule(name)] },
    env: ParentEnv.fromBlock(Buffer.from(`${name}=${VALUE}\0`)),
    credentials: new Map(Object.entries(secrets(name)) as [Bytes, Secret][]),
  });

type Entry = (name: string) => unknown;

/** Every public way to give a command a variable. Each gives back the environment it would have, or throws. */
const SETTING: Readonly<Record<string, Entry>> = {
  'seal: set': (name) => byHand(name, 'set'),
  'seal: passed': (name) => byHand(name, 'pass'),
  'library: set': (name) => prepared({ set: [rule(name)] }),
  'library: inherited, all allowed': (name) =>
    prepared(
      {
        base: { preset: 'all', origin: ORIGIN },
        allow: [{ pattern: Pattern.exactly(bytesOfText(name)), origin: ORIGIN }],
      },
      undefined,
      { [name]: VALUE },
    ),
  'profile: set_vars': async (name) =>
    prepared(await loadPolicy({ profile: { environment: { set_vars: { [name]: VALUE } } } })),
  'tool: env_allow': (name) => {
    const allow = [{ pattern: Pattern.exactly(bytesOfText(name)), origin: ORIGIN }];
    return prepared(policyOf({ ...withoutPolicy('true'), allow }, { home: '/', passwdHome: '/' }), undefined, {
      [name]: VALUE,
    });
  },
  'agent: extra key': (name) => {
    const config = agentConfigOf({ agents: { generic: { extra_keys: [name] } } } as never);
    const adapter = findAdapter('generic', config.adapters);
    const parent = ParentEnv.fromRecord({ ...env, [name]: VALUE });
    return prepared(agentPolicy({ adapter, config, env: parent }), undefined, { [name]: VALUE });
  },
  'spec: allowlist': (name) =>
    prepareSpec(
      new SandboxSpecBuilder({ addToAllowlist: [name] })
        .inheritFrom({ PATH: '/usr/bin:/bin', [name]: VALUE })
        .command(argv)
        .workdir('/tmp')
        .build(),
    ).plan.env,
  'spec: after the filter': (name) =>
    prepareSpec(
      new SandboxSpecBuilder({ addToAllowlist: [name], postFilterEnv: { PATH: '/usr/bin:/bin', [name]: VALUE } })
        .command(argv)
        .workdir('/tmp')
        .build(),
    ).plan.env,
};

const INJECTING: Readonly<Record<string, Entry>> = {
  'seal: credential': (name) => byHand(name, 'credential'),
  'library: credentials': (name) => prepared({ credentials: [credential(name)] }, name),
  'profile: env_credentials': async (name) =>
    prepared(await loadPolicy({ profile: { env_credentials: { x: name } } as never }), name),
};

async function refusedOrAbsent(entry: Entry, name: string): Promise<void> {
  let given: unknown;
  try {
    given = await entry(name);
  } catch (error) {
    expect(error instanceof CordonError || error instanceof SandboxSpecForbidden, String(error)).toBe(true);
    expect(String(error)).not.toContain(VALUE);
    return;
  }
  expect(Object.keys(given as object)).not.toContain(name);
}

describe('no public way gives a command what none may have', () => {
  test.each(Object.entries(SETTING))('%s', async (_, entry) => {
    await fc.assert(
      fc.asyncProperty(never, (name) => refusedOrAbsent(entry, name)),
      { numRuns: 60 },
    );
  });

  test.each(Object.entries(INJECTING))('%s', async (_, entry) => {
    await fc.assert(
      fc.asyncProperty(target, (name) => refusedOrAbsent(entry, name)),
      { numRuns: 60 },
    );
  });

  test('a value with a NUL', () => {
    const cut = bytesOfText('a\0b');
    expect(() => prepared({ set: [{ name: bytesOfText('A'), value: cut, origin: ORIGIN }] })).toThrow(/NUL/);
    expect(() =>
      prepare({ argv, env, policy: { credentials: [credential('A')] }, credentials: { A: new Secret(cut) } }),
    ).toThrow(/NUL/);
  });

  const SOME = ['LD_PRELOAD', 'BASH_ENV', 'NODE_OPTIONS', 'BASH_FUNC_x', 'CORDON_HOME'];

  test.each(SOME)('the command line: %s', (name) => {
    const home = freshHome('root');
    for (const flags of [
      ['--set', `${name}=${VALUE}`],
      ['--credential', `${name}=env://X`],
    ]) {
      const { code, stdout } = runCordon(['run', ...flags, '--', 'env'], { home, env: { X: VALUE } });
      expect({ code, stdout }).toEqual({ code: 125, stdout: '' });
    }
  });

  test.each([...SOME, 'PATH', 'Home'])('a session: %s', async (name) => {
    const here = scene(SELF);
    put(here, 'cordon/users/eve/secrets.yaml', `sandboxed_envs:\n  ${name}: ${VALUE}\n`);
    const options = { workspace: here.workspace, env: { CORDON_HOME: here.home, PATH: '/usr/bin' } };
    await expect(openSession({ ...options, user: 'eve' })).rejects.toThrow(CordonError);
    if (name === 'Home') return; // A profile may set what is no HOME.
    put(here, 'cordon/profiles/p.yaml', `environment: { set_vars: { ${name}: ${VALUE} } }\n`);
    await expect(openSession({ ...options, user: 'greg', profile: 'p' })).rejects.toThrow(CordonError);
  });
});
