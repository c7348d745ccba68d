import { describe, expect, it } from 'vitest';
import {
  CordonError,
  launchSpec,
  prepareSpec,
  type SandboxSpec,
  SandboxSpecBuilder,
  specPolicy,
} from '../../src/index.ts';

const builder = () =>
  new SandboxSpecBuilder({ addToAllowlist: ['CI'] })
    .inheritFrom({ PATH: '/usr/bin:/bin', CI: 'true', ANTHROPIC_API_KEY: 'x', LD_PRELOAD: '/x.so' })
    .command(['true'])
    .workdir('/usr');

describe('launching a spec', () => {
  it('the environment is exactly that of the spec; barrier, workspace and network as it says', () => {
    const spec = builder().mount({ source: '/etc', target: '/etc', access: 'read-only' }).build();
    const { decisions, plan } = prepareSpec(spec);
    expect(decisions.map(({ name, verdict }) => [name, verdict])).toEqual([
      ['CI', 'set'],
      ['PATH', 'set'],
    ]);
    expect(Object.keys(plan.env)).toEqual(['CI', 'PATH']);
    expect(specPolicy(spec)).toMatchObject({
      isolation: 'barrier',
      network: { mode: 'off' },
      filesystem: { preset: 'workspace', explicit: true, read: ['/etc'], write: [] },
    });
    expect(specPolicy(builder().network('on').build()).network.mode).toBe('on');
  });

  it.each([
    ['none', builder().workdir('/workspace'), "'/workspace' does not exist"],
    ['one that is not there', builder().workdir('/nowhere/at/all'), "'/nowhere/at/all' does not exist"],
    ['a file', builder().workdir('/etc/passwd'), "'/etc/passwd' is not a folder"],
  ])('a working folder that cannot be worked in: %s', (_, made, what) => {
    expect(() => launchSpec(made.build())).toThrow(`the working folder ${what}`);
    expect(() => launchSpec(made.build())).toThrow(CordonError);
  });

  it.each<[string, (spec: SandboxSpec) => SandboxSpec, string]>([
    ['an image', () => builder().image('node:20').build(), 'it names an image'],
    [
      'another path inside',
      () => builder().mount({ source: '/usr', target: '/x', access: 'read-only' }).build(),
      'under another path',
    ],
    [
      'an environment of another making',
      (spec) => ({ ...spec, env: { ...spec.env } as SandboxSpec['env'] }),
      'was not made by filterSandboxEnv',
    ],
  ])('%s is refused, not approximated', (_, change, message) => {
    expect(() => prepareSpec(change(builder().build()))).toThrow(message);
  });
});
