import { describe, expect, it } from 'vitest';
import { CordonError } from '../../src/host/errors.ts';
import {
  isSandboxEnv,
  SandboxSpecBuilder,
  SandboxSpecForbidden,
  type SandboxSpecOptions,
} from '../../src/spec/index.ts';

const HOST = {
  PATH: '/b',
  NODE_ENV: 'test',
  HOME: '/h',
  GITHUB_TOKEN: 'canary',
  HTTPS_PROXY: 'http://u:canary@proxy:1',
};
const builder = (options?: SandboxSpecOptions) =>
  new SandboxSpecBuilder(options).inheritFrom(HOST).command(['npm', 'ci']);

function refusalOf(build: () => unknown): SandboxSpecForbidden {
  try {
    build();
  } catch (error) {
    if (error instanceof SandboxSpecForbidden) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('a spec', () => {
  it('holds the filtered environment and what was asked for, frozen', () => {
    const spec = builder({
      addToAllowlist: ['KEYBOARD_LAYOUT', 'CI'],
      exceptions: [{ name: 'KEYBOARD_LAYOUT', reason: 'a layout' }],
      postFilterEnv: { CI: 'true' },
    })
      .image('node:20')
      .workdir('/src')
      .network('on')
      .mount({ source: '/home/bob/src', target: '/src', access: 'read-only' })
      .build();
    expect(JSON.parse(JSON.stringify(spec))).toEqual({
      version: 1,
      image: 'node:20',
      command: ['npm', 'ci'],
      workdir: '/src',
      network: 'on',
      mounts: [{ source: '/home/bob/src', target: '/src', access: 'read-only' }],
      env: { CI: 'true', NODE_ENV: 'test', PATH: '/b' },
      addedToAllowlist: ['CI', 'KEYBOARD_LAYOUT'],
      exceptions: [{ name: 'KEYBOARD_LAYOUT', reason: 'a layout' }],
      hash: spec.hash,
    });
    for (const part of [
      spec,
      spec.env,
      spec.command,
      spec.mounts,
      spec.mounts[0],
      spec.addedToAllowlist,
      spec.exceptions,
      spec.exceptions[0],
    ])
      expect(Object.isFrozen(part)).toBe(true);
    expect(isSandboxEnv(spec.env)).toBe(true);
    expect(JSON.stringify(spec)).not.toContain('canary');
  });

  it('has no network and no image unless asked for', () => {
    expect(builder().build()).toMatchObject({ network: 'off', image: undefined, mounts: [] });
  });

  it('does not follow later changes of what it was given', () => {
    const env: Record<string, string> = { PATH: '/b' };
    const argv = ['npm'];
    const made = new SandboxSpecBuilder().inheritFrom(env).command(argv);
    env.PATH = '/evil';
    argv.push('--token=x');
    expect(made.build()).toMatchObject({ env: { PATH: '/b' }, command: ['npm'] });
  });
});

describe('the hash', () => {
  // The value was computed elsewhere, from canonical JSON by another program.
  it('is the same on every machine', () => {
    expect(
      new SandboxSpecBuilder().inheritFrom({ PATH: '/usr/bin:/bin', NODE_ENV: 'test' }).command(['npm', 'ci']).build()
        .hash,
    ).toBe('sha256:e5cf243d35a4d77de051ebd4a855c1c38cbcf5cbcc3737fb671240d89e1f5d58');
  });

  it('does not depend on order', () => {
    const one = new SandboxSpecBuilder({ addToAllowlist: ['CI', 'LANG'] })
      .inheritFrom({ PATH: '/b', CI: '1', LANG: 'C' })
      .command(['x']);
    const two = new SandboxSpecBuilder({ addToAllowlist: ['LANG', 'CI', 'CI'] })
      .inheritFrom({ LANG: 'C', CI: '1', PATH: '/b' })
      .command(['x']);
    expect(two.build().hash).toBe(one.build().hash);
  });

  it('changes with every part', () => {
    const hashes = [
      builder(),
      builder({ addToAllowlist: ['CI'] }),
      builder({ exceptions: [{ name: 'MAX_TOKENS', reason: 'a' }] }),
      builder({ exceptions: [{ name: 'MAX_TOKENS', reason: 'b' }] }),
      builder().image('x'),
      builder().command(['npm', 'ci', '']),
      builder().command(['npm ci']),
      builder().workdir('/w'),
      builder().network('on'),
      builder().mount({ source: '/a', target: '/b', access: 'read-only' }),
      builder().inheritFrom({ PATH: '/c' }),
      builder().inheritFrom({}),
    ].map((one) => one.build().hash);
    expect(new Set(hashes).size).toBe(hashes.length);
  });

  it('does not change with what the filter leaves out', () => {
    expect(
      builder()
        .inheritFrom({ ...HOST, GITHUB_TOKEN: 'other' })
        .build().hash,
    ).toBe(builder().build().hash);
  });
});

describe('building refuses', () => {
  it.each([
    ['a denied name on the allowlist', { addToAllowlist: ['NPM_CONFIG_TOKEN', 'CI'] }, ['NPM_CONFIG_TOKEN']],
    ['a denied prefix on the allowlist', { addToAllowlist: ['TOKEN_*'] }, ['TOKEN_']],
    ['a name of the wider list on the allowlist', { addToAllowlist: ['DB_PASS'] }, ['DB_PASS']],
    [
      'the code-injection list on the allowlist',
      { addToAllowlist: ['LD_PRELOAD', 'NODE_OPTIONS'] },
      ['LD_PRELOAD', 'NODE_OPTIONS'],
    ],
    [
      'denied names put in after the filter',
      { postFilterEnv: { Z_SECRET: 'canary', A_TOKEN: 'canary' } },
      ['A_TOKEN', 'Z_SECRET'],
    ],
    ['a credential put in after the filter', { postFilterEnv: { HTTPS_PROXY: 'http://u:canary@h' } }, ['HTTPS_PROXY']],
    ['what is not on the allowlist, put in after the filter', { postFilterEnv: { HOME: '/canary' } }, ['HOME']],
    ['no text, put in after the filter', { postFilterEnv: { PATH: 7 as never } }, ['PATH']],
  ] as const)('%s', (_what, options, names) => {
    const error = refusalOf(() => builder(options as SandboxSpecOptions).build());
    expect(error).toBeInstanceOf(CordonError);
    expect(error).toMatchObject({ name: 'SandboxSpecForbidden', names, exitCode: 125 });
    for (const name of names) expect(error.message).toContain(name);
    expect(error.where).toBeTruthy();
    expect(error.hint).toBeTruthy();
    expect(`${error.stack} ${JSON.stringify(error)}`).not.toContain('canary');
  });

  it('a credential in the command, the image or a mount', () => {
    const token = `ghp_${'a1B2'.repeat(9)}`;
    const source = `/x/${token}`;
    const error = refusalOf(() =>
      builder()
        .command(['curl', `-HAuthorization: token ${token}`])
        .image(`https://u:${token}@r/x`)
        .mount({ source, target: '/y', access: 'read-only' })
        .build(),
    );
    expect(error.names).toEqual(['command[1]', 'image', 'mounts[0]']);
    expect(error.message).not.toContain(token);
  });

  it.each([
    ['no command', (b: SandboxSpecBuilder) => b.command([])],
    ['a command that is no text', (b: SandboxSpecBuilder) => b.command([7 as never])],
    ['NUL in an argument', (b: SandboxSpecBuilder) => b.command(['a\0b'])],
    ['a relative workdir', (b: SandboxSpecBuilder) => b.workdir('src')],
    ['an unknown network', (b: SandboxSpecBuilder) => b.network('some' as never)],
    ['a relative mount', (b: SandboxSpecBuilder) => b.mount({ source: 'a', target: '/b', access: 'read-only' })],
    ['an unknown access', (b: SandboxSpecBuilder) => b.mount({ source: '/a', target: '/b', access: 'all' as never })],
  ])('%s', (_what, change) => {
    expect(() => change(builder()).build()).toThrow(
      expect.objectContaining({ kind: 'policy', hint: expect.any(String) }),
    );
  });
});
