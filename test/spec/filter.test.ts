import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { ALLOWLIST } from '../../src/spec/allowlist.ts';
import { explainSandboxEnv, filterSandboxEnv, isSandboxEnv, type SandboxOptions } from '../../src/spec/index.ts';

const filter = (env: Record<string, unknown>, options?: SandboxOptions) => ({
  ...filterSandboxEnv(env as Record<string, string>, options),
});
const HOST = { PATH: '/b', NODE_ENV: 'test', HOME: '/h', GITHUB_TOKEN: 'canary' };

const names = fc.oneof(
  fc.constantFrom(
    'PATH',
    'NODE_ENV',
    'HTTPS_PROXY',
    'NPM_CONFIG_X',
    'NPM_CONFIG_TOKEN',
    'NPM_CONFIG__AUTH',
    'CI',
    'KEYBOARD_LAYOUT',
    '__proto__',
    'constructor',
    '7',
    'LD_PRELOAD',
  ),
  fc.string(),
);
const values = fc.oneof(fc.constantFrom('http://u:p@h', '() { :; }', `ghp_${'a1B2'.repeat(9)}`), fc.string());
const environments = fc.dictionary(names, values);
const OPTIONS: SandboxOptions = {
  addToAllowlist: ['CI', 'KEYBOARD_LAYOUT', 'MY_TOKEN', 'LD_PRELOAD', 'CARGO_*'],
  exceptions: [{ name: 'KEYBOARD_LAYOUT', reason: 'a layout' }],
};

describe('filterSandboxEnv', () => {
  it('gives a sorted, frozen subset without a prototype', () => {
    fc.assert(
      fc.property(environments, (env) => {
        const result = filterSandboxEnv(env, OPTIONS);
        const kept = Object.entries(result);
        return (
          kept.every(([name, value]) => env[name] === value) &&
          kept.every(([name], i) => i === 0 || (kept[i - 1]?.[0] ?? '') < name) &&
          Object.isFrozen(result) &&
          Object.getPrototypeOf(result) === null &&
          isSandboxEnv(result)
        );
      }),
    );
  });

  it('is idempotent', () => {
    fc.assert(
      fc.property(environments, (env) => {
        const once = filterSandboxEnv(env, OPTIONS);
        expect({ ...filterSandboxEnv(once, OPTIONS) }).toEqual({ ...once });
      }),
    );
  });

  it('does not depend on the order of its input', () => {
    fc.assert(
      fc.property(environments, (env) => {
        const reversed = Object.fromEntries(Object.entries(env).reverse());
        expect(JSON.stringify(filterSandboxEnv(reversed, OPTIONS))).toBe(
          JSON.stringify(filterSandboxEnv(env, OPTIONS)),
        );
      }),
    );
  });

  it('never passes a name with a denied word, whatever the allowlist says', () => {
    const denied = fc.tuple(
      fc.stringMatching(/^[A-Z_]{0,5}$/),
      fc.constantFrom('KEY', 'token', 'Secret', 'PASSWORD'),
      fc.stringMatching(/^[A-Z_]{0,5}$/),
    );
    fc.assert(
      fc.property(
        denied.map((parts) => `A${parts.join('')}`),
        (name) => {
          expect(filter({ [name]: 'v', PATH: '/b' }, { addToAllowlist: [name, 'A_*'] })).toEqual({ PATH: '/b' });
        },
      ),
    );
  });
});

describe('bad input', () => {
  it.each([
    [
      'non-string values',
      { PATH: 1, NODE_ENV: null, HTTPS_PROXY: {}, NPM_CONFIG_A: ['x'], NPM_CONFIG_B: true, NPM_CONFIG_C: Symbol('s') },
    ],
    [
      'names that no variable can have',
      { '': 'v', 'NPM_CONFIG_A=B': 'v', 'NPM_CONFIG_A\0B': 'v', 'NPM_CONFIG_\n': 'v', NPM_CONFIG_ſecret: 'v' },
    ],
    ['a value with NUL', { PATH: '/b\0GITHUB_TOKEN=x' }],
    ['functions in values', { PATH: '() { :; }' }],
    [
      'the code-injection list',
      { NPM_CONFIG_NODE_OPTIONS: '-r x', NPM_CONFIG_SCRIPT_SHELL: '/x', 'NPM_CONFIG_node-options': '-r x' },
    ],
  ])('%s never pass', (_what, env) => {
    expect(filter(env)).toEqual({});
  });

  it("names of the code-injection list in any case, and Cordon's own, pass by no allowlist", () => {
    const listed = ['ld_preload', 'Node_Options', 'FISH_FUNCTION_PATH', 'CORDON_HOME', 'CORDON_FRONT'];
    const env = Object.fromEntries(listed.map((name) => [name, 'x']));
    expect(filter({ ...env, CI: '1' }, { addToAllowlist: [...listed, 'CI'] })).toEqual({ CI: '1' });
  });

  it.each([null, undefined, 7, 'PATH=/b'])('%s is no environment', (env) => {
    expect(() => filterSandboxEnv(env as never)).toThrow(
      expect.objectContaining({ name: 'CordonError', kind: 'policy' }),
    );
  });

  it('values that change between two looks are read once', () => {
    let looks = 0;
    const env = {
      get HTTPS_PROXY() {
        looks++;
        return looks === 1 ? 'http://proxy:1' : 'http://u:canary@proxy:1';
      },
    };
    expect(filter(env)).toEqual({ HTTPS_PROXY: 'http://proxy:1' });
    expect(looks).toBe(1);
  });

  it('a proxy that changes its answers gets nothing denied through', () => {
    let looks = 0;
    const liar = new Proxy(
      {},
      {
        ownKeys: () => ['PATH', 'HTTPS_PROXY', 'GITHUB_TOKEN'],
        getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true, value: 'x' }),
        get: (_target, name) => {
          looks++;
          return name === 'HTTPS_PROXY' ? 'http://u:canary@h' : `/b${looks}`;
        },
      },
    );
    expect(filter(liar)).toEqual({ PATH: '/b1' });
  });

  it('100,000 variables are filtered, the four that may pass among them', () => {
    const env: Record<string, string> = Object.fromEntries(
      Array.from({ length: 100_000 }, (_, i) => [`VAR_${i}_KEY`, 'canary']),
    );
    expect(filter({ ...env, ...HOST, HTTPS_PROXY: 'http://p:1', NPM_CONFIG_X: '1' })).toEqual({
      HTTPS_PROXY: 'http://p:1',
      NODE_ENV: 'test',
      NPM_CONFIG_X: '1',
      PATH: '/b',
    });
  });
});

describe('tampering at run time', () => {
  afterEach(() => {
    for (const name of ['GITHUB_TOKEN', 'addToAllowlist', 'exceptions', 'reason'])
      delete (Object.prototype as Record<string, unknown>)[name];
  });

  it('the allowlist is frozen, through and through', () => {
    expect(() => (ALLOWLIST.names as string[]).push('GITHUB_TOKEN')).toThrow(TypeError);
    expect(() => (ALLOWLIST.prefixes as string[]).push('')).toThrow(TypeError);
    expect(() => Object.assign(ALLOWLIST, { prefixes: [''] })).toThrow(TypeError);
    expect(filter(HOST)).toEqual({ NODE_ENV: 'test', PATH: '/b' });
  });

  it('a polluted prototype adds no variable, no allowlist entry and no exception', () => {
    Object.assign(Object.prototype, {
      GITHUB_TOKEN: 'canary',
      addToAllowlist: ['HOME', 'KEYBOARD_LAYOUT'],
      exceptions: [{ name: 'KEYBOARD_LAYOUT', reason: 'x' }],
    });
    expect(filter({ ...HOST, KEYBOARD_LAYOUT: 'de' }, {})).toEqual({ NODE_ENV: 'test', PATH: '/b' });
  });

  it('an exception must have its own reason', () => {
    Object.assign(Object.prototype, { reason: 'inherited' });
    expect(() => filter(HOST, { exceptions: [{ name: 'KEYBOARD_LAYOUT' } as never] })).toThrow(/no reason/);
  });

  it('options that change their answer are read once', () => {
    const looks = [['CI'], ['CI', 'MY_PLACE']];
    const options = {
      get addToAllowlist() {
        return looks.shift() ?? [];
      },
    };
    expect(filter({ CI: 'true', MY_PLACE: 'x' }, options)).toEqual({ CI: 'true' });
  });

  it('what passed can not be changed afterwards', () => {
    const env = filterSandboxEnv(HOST) as unknown as Record<string, string>;
    expect(() => {
      env.GITHUB_TOKEN = 'canary';
    }).toThrow(TypeError);
    expect(isSandboxEnv({ ...env })).toBe(false);
    expect(isSandboxEnv(Object.freeze(Object.assign(Object.create(null), env)))).toBe(false);
  });
});

describe('allowlist entries', () => {
  it.each(['*', 'A*', '', 'A=B', 'A B', '_*x', 'Ä', 7, null, { toString: () => 'CI' }])('%j is refused', (entry) => {
    expect(() => filter(HOST, { addToAllowlist: [entry as string] })).toThrow(
      expect.objectContaining({ kind: 'policy', where: 'addToAllowlist' }),
    );
  });

  it('a prefix admits what begins with it, and nothing that passes only by name', () => {
    const env = { CARGO_HOME: '/c', CARGO_REGISTRY_TOKEN: 'v', CARGO: 'x', GIT_PAGER: 'less', GIT_DIR_X: 'y' };
    expect(filter(env, { addToAllowlist: ['CARGO_*', 'GIT_*'] })).toEqual({ CARGO_HOME: '/c', GIT_DIR_X: 'y' });
  });
});

describe('exceptions', () => {
  const excepting = (name: string, reason = 'no credential') => ({
    addToAllowlist: [name],
    exceptions: [{ name, reason }],
  });

  it.each(['KEYBOARD_LAYOUT', 'MAX_TOKENS', 'MONKEY_PATCH', 'SECRETARY'])('%s passes with a reason', (name) => {
    expect(filter({ [name]: '1' }, excepting(name))).toEqual({ [name]: '1' });
  });

  it.each(['ANTHROPIC_API_KEY', 'api_key', 'KEY', 'GITHUB_TOKEN', 'KEYBOARD_SECRET', 'myKey', 'DB_PASSWORD_1'])(
    '%s never does',
    (name) => {
      expect(() => filter({ [name]: '1' }, excepting(name))).toThrow(
        expect.objectContaining({ name: 'SandboxSpecForbidden', names: [name] }),
      );
    },
  );

  it('lifts only the word: the allowlist and the value still count', () => {
    expect(filter({ KEYBOARD_LAYOUT: 'de' }, { exceptions: [{ name: 'KEYBOARD_LAYOUT', reason: 'x' }] })).toEqual({});
    expect(filter({ KEYBOARD_LAYOUT: 'q8Zr1LmX0vTb7KcN' }, excepting('KEYBOARD_LAYOUT'))).toEqual({});
    expect(filter({ KEYBOARD_LAYOUT: 'http://u:p@h' }, excepting('KEYBOARD_LAYOUT'))).toEqual({});
  });

  it('names one exact variable', () => {
    const env = { KEYBOARD_LAYOUT: 'de', KEYBOARD_MODEL: 'pc105', keyboard_layout: 'us' };
    expect(
      filter(env, {
        addToAllowlist: ['KEYBOARD_*', 'keyboard_layout'],
        exceptions: excepting('KEYBOARD_LAYOUT').exceptions,
      }),
    ).toEqual({ KEYBOARD_LAYOUT: 'de' });
  });

  it.each([
    ['a pattern', [{ name: 'KEYBOARD_*', reason: 'x' }]],
    ['no reason', [{ name: 'KEYBOARD_LAYOUT', reason: ' ' }]],
    ['no name', [{ reason: 'x' }]],
    ['a bare name', ['KEYBOARD_LAYOUT']],
    [
      'one variable twice',
      [
        { name: 'MAX_TOKENS', reason: 'a' },
        { name: 'MAX_TOKENS', reason: 'b' },
      ],
    ],
    ['no list', 'KEYBOARD_LAYOUT'],
  ])('%s is refused', (_what, exceptions) => {
    expect(() => filter(HOST, { exceptions } as never)).toThrow(expect.objectContaining({ kind: 'policy' }));
  });
});

describe('explainSandboxEnv', () => {
  it('has one decision per variable, by the rule that made it, and no value', () => {
    const decisions = explainSandboxEnv({ ...HOST, HTTPS_PROXY: 'http://u:canary@h', NPM_CONFIG_SHELL: '/x' });
    expect(decisions.map(({ name, verdict, rule }) => `${name} ${verdict} ${rule}`)).toEqual([
      'GITHUB_TOKEN drop name-word',
      'HOME drop not-allowed',
      'HTTPS_PROXY drop url-userinfo',
      'NODE_ENV pass allowlist',
      'NPM_CONFIG_SHELL drop code-injection',
      'PATH pass allowlist',
    ]);
    expect(
      explainSandboxEnv({
        CORDON_HOME: 'x',
        GIT_PAGER: 'less',
        LANG: '/x',
        NPM_CONFIG_ſ: 'x',
        PATH: '() { :; }',
        ld_preload: 'x',
        '': 'x',
        Z: 7 as never,
      }).map(({ name, rule }) => `${name} ${rule}`),
    ).toEqual([
      ' unusable-name',
      'CORDON_HOME control',
      'GIT_PAGER not-allowed',
      'LANG unsafe-value',
      'NPM_CONFIG_ſ unusable-name',
      'PATH unsafe-value',
      'Z unusable-value',
      'ld_preload code-injection',
    ]);
    expect(JSON.stringify(decisions)).not.toContain('canary');
  });
});
