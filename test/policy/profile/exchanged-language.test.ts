import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { agentConfigOf } from '../../../src/agents/config/read.ts';
import { agentPolicy } from '../../../src/agents/policy.ts';
import { findAdapter } from '../../../src/agents/registry.ts';
import { decide } from '../../../src/decide/decide.ts';
import { type Bytes, showBytes } from '../../../src/host/bytes.ts';
import { ParentEnv } from '../../../src/host/parent-env.ts';
import { Pattern } from '../../../src/policy/pattern.ts';
import { expandPath, expandValue } from '../../../src/policy/places.ts';
import type { Policy } from '../../../src/policy/policy.ts';
import { asksForEverything } from '../../../src/policy/presets/presets.ts';
import { resolveProfiles } from '../../../src/policy/profile/resolve.ts';
import { Home } from './support.ts';

const env = (variables: Record<string, string>) =>
  ParentEnv.fromBlock(
    Buffer.from(
      Object.entries(variables)
        .map(([name, value]) => `${name}=${value}\0`)
        .join(''),
      'latin1',
    ),
  );

/** What arrives of these variables, and what the policy adds. */
function arriving(policy: Policy, variables: Record<string, string>): string[] {
  return decide(policy, env(variables))
    .filter(({ verdict }) => verdict !== 'drop')
    .map(({ name }) => showBytes(name));
}

const letter = fc.constantFrom('a', 'A', 'z', 'Z', '-', ']', '!', '_', '5', '%', '\xf7');
const piece = fc.oneof(
  letter.filter((one) => one !== ']' && one !== '\xf7'),
  fc.constantFrom('*', '?', '[a-c]', '[!a]', '[]aZ]', '[a%--]', '[-z]', '[!]-a]', '[Z-a]', '[b!]', '[--a]'),
);

describe('patterns in which upper and lower case count alike', () => {
  test('they match what the pattern in capitals matches of the name in capitals, byte for byte', () => {
    const upper = (text: string) => text.replace(/[a-z]/g, (one) => one.toUpperCase());
    const plainPiece = fc.constantFrom('a', 'B', 'z', '_', '*', '?', '%', '!');
    fc.assert(
      fc.property(fc.array(plainPiece, { minLength: 1 }), fc.string({ unit: letter }), (pieces, name) => {
        const pattern = pieces.join('');
        const expected = Pattern.ofBytes(upper(pattern) as Bytes).matches(upper(name) as Bytes);
        expect(Pattern.ignoringCase(pattern).matches(name as Bytes)).toBe(expected);
      }),
    );
  });

  test('classes hold each letter in both cases, and everything else as it was', () => {
    const other = (one: string) => (one === one.toUpperCase() ? one.toLowerCase() : one.toUpperCase());
    fc.assert(
      fc.property(piece, letter, (pattern, one) => {
        const plain = Pattern.ofBytes(pattern as Bytes);
        const either = [one, other(one)].map((name) => plain.matches(name as Bytes));
        const expected = pattern.startsWith('[!') ? either.every(Boolean) : either.some(Boolean);
        expect(Pattern.ignoringCase(pattern).matches(one as Bytes)).toBe(expected);
      }),
    );
  });

  test('one that asks for everything is known as such, one that names something is not', () => {
    expect(asksForEverything(Pattern.ignoringCase('*'))).toBe(true);
    expect(asksForEverything(Pattern.ignoringCase('?*'))).toBe(true);
    expect(asksForEverything(Pattern.ignoringCase('*key*'))).toBe(false);
  });
});

describe('profiles that say what others can say', () => {
  test('globs pass under a key of their own, in any case where that is asked for', async () => {
    const policy = await new Home().load({
      environment: { allow_patterns: ['*_MODE', { pattern: 'app_?', ignore_case: true }] },
    });
    expect(arriving(policy, { X_MODE: '1', x_mode: '1', APP_1: '1', app_2: '1', APP_12: '1', PATH: '/' })).toEqual(
      ['X_MODE', 'APP_1', 'app_2'].toSorted(),
    );
  });

  test('a deny pattern may ignore case, and then its exceptions do', async () => {
    const policy = await new Home().load({
      environment: { deny_vars: [{ pattern: '*KEY*', except: ['my_key_count'], ignore_case: true }] },
    });
    expect(arriving(policy, { aKey: '1', KEY: '1', MY_KEY_COUNT: '1', A: '1' })).toEqual(['A', 'MY_KEY_COUNT']);
  });

  test('a glob that is none is refused with its place', async () => {
    const home = new Home({ 'p.json': '{"environment": {\n  "allow_patterns": ["A[B"]}}' });
    expect(await home.refusal('p')).toMatchObject({ where: expect.stringContaining('p.json:2') });
  });

  test('base core is the names that Codex calls so, in any case', async () => {
    const policy = await new Home().load({ environment: { base: 'core' } });
    const given = { PATH: '/bin', Home: '/h', user: 'u', LC_ALL: 'C', LC_TIME: 'C', TERM: 'x', TMP: '/t' };
    expect(arriving(policy, given)).toEqual(['Home', 'LC_ALL', 'PATH', 'TMP', 'user']);
  });

  test('what is unset is gone, whether it is inherited, set or injected below', async () => {
    const home = new Home({
      'base.json': { environment: { allow_vars: ['*'], set_vars: { A: '1', B: '2' } }, env_credentials: { c: 'C' } },
      'over.json': { extends: 'base', environment: { unset_vars: ['A', 'C', 'D'] } },
      'again.json': { extends: 'over', environment: { set_vars: { A: '3' } } },
    });
    const given = { A: 'x', C: 'x', D: 'x', E: 'x' };
    expect(arriving(await home.load('over'), given)).toEqual(['B', 'E']);
    expect(arriving(await home.load('again'), given)).toEqual(['A', 'B', 'E']);
    expect((await home.refusal({ environment: { unset_vars: ['A'], set_vars: { A: '1' } } })).message).toContain('set');
    expect((await home.refusal({ environment: { unset_vars: ['A*'] } })).message).toContain(
      'not the name of a variable',
    );
  });

  test('a name gets past the guard on names with a reason; its value does not', async () => {
    const home = new Home();
    const environment = { allow_vars: ['*'], guard: 'strip' as const };
    const reasoned = { KEYBOARD_LAYOUT: 'a layout of keys, nothing secret' };
    const policy = await home.load({ environment: { ...environment, guard_exceptions: reasoned } });
    const [passes] = decide(policy, env({ KEYBOARD_LAYOUT: 'de' }));
    expect(passes).toMatchObject({ verdict: 'pass', reason: expect.stringContaining('a layout of keys') });
    const secret = ['ghp', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('_');
    expect(arriving(policy, { KEYBOARD_LAYOUT: secret })).toEqual([]);
    expect(arriving(await home.load({ environment }), { KEYBOARD_LAYOUT: 'de' })).toEqual([]);
    const withoutReason = await home.refusal({ environment: { guard_exceptions: { MY_KEY: ' ' } } });
    expect(withoutReason.message).toContain('reason');
    expect(
      (await home.refusal({ environment: { guard_exceptions: { '*KEY*': 'they are all fine' } } })).message,
    ).toContain('not the name');
  });

  test('no agent takes such an exception', async () => {
    const home = new Home({ 'p.json': { environment: { guard_exceptions: { MY_KEY: 'no key at all' } } } });
    const places = { config: home.config, home: '/home/u', workdir: home.config };
    const { layer } = await resolveProfiles(['p'], places);
    const config = agentConfigOf({});
    expect(() => agentPolicy({ adapter: findAdapter('claude', config.adapters), config, env: env({}), layer })).toThrow(
      /guard_exceptions.*refused for an agent/,
    );
  });
});

describe('the folders that places and values may name', () => {
  const BRACED = ['$', '{HOME}'].join('');
  const roots = { home: '/home/u', workdir: '/work', xdg: { XDG_CACHE_HOME: '/c', XDG_RUNTIME_DIR: undefined } };

  test.each([
    ['$HOME/a', '/home/u/a'],
    ['$WORKDIR', '/work'],
    ['$XDG_CONFIG_HOME/app', '/home/u/.config/app'],
    ['$XDG_CACHE_HOME', '/c'],
  ])('%s is %s', (written, path) => expect(expandPath(written, roots)).toEqual({ path }));

  test.each([['$HOMER/a'], ['$TMPDIR/a'], ['$XDG_RUNTIME_DIR/a'], ['$XDG_DATA_DIRS/a'], ['/a/$HOME'], [`${BRACED}/a`]])(
    '%s is refused',
    (written) => expect(expandPath(written, roots)).toHaveProperty('problem'),
  );

  test.each([
    ['$HOME/bin:$WORKDIR/bin', '/home/u/bin:/work/bin', false],
    [`${BRACED}x`, '/home/ux', false],
    ['$HOMEx $PATH', '$HOMEx $PATH', true],
    ['$$HOME costs 5$', '$HOME costs 5$', false],
    ['$XDG_CACHE_HOME/x', '/c/x', false],
  ])('the value %s becomes %s', (written, text, other) => expect(expandValue(written, roots)).toEqual({ text, other }));

  test('a profile sets them, warns of what nothing expands, and refuses what it cannot know', async () => {
    const home = new Home();
    const { set, warnings } = await home.load({ environment: { set_vars: { A: '$HOME/.config', B: '$NOPE' } } });
    expect(set.map(({ value }) => showBytes(value))).toEqual(['/home/u/.config', '$NOPE']);
    expect(warnings).toEqual([expect.stringContaining('the value of B has a $ that nothing expands')]);
    const refused = await home.refusal({ environment: { set_vars: { A: '$XDG_RUNTIME_DIR/x' } } });
    expect(refused.message).toContain('$XDG_RUNTIME_DIR');
    const { filesystem } = await home.load({ filesystem: { write: ['$XDG_DATA_HOME/x'] } });
    expect(filesystem.write).toEqual(['/home/u/.local/share/x']);
  });
});

test('[agents."*"] is for every agent, and the table of one comes before it', () => {
  const config = agentConfigOf({
    agents: {
      '*': { extra_keys: ['TEAM_KEY'], allow: ['TEAM_*'], credentials: { TEAM_KEY: 'vault://team' } },
      codex: { credentials: { OPENAI_API_KEY: 'vault://o' } },
      own: { command: ['own', '{prompt}'] },
    },
  });
  for (const name of ['claude', 'codex', 'own']) {
    const policy = agentPolicy({ adapter: findAdapter(name, config.adapters), config, env: env({}) });
    expect(policy.credentials.map(({ target }) => showBytes(target))).toContain('TEAM_KEY');
    expect(arriving(policy, { TEAM_NAME: 'a', OTHER: 'b' })).toContain('TEAM_NAME');
  }
  expect(() => agentConfigOf({ agents: { '*': { command: ['x'] } } })).toThrow(/same for all agents/);
});
