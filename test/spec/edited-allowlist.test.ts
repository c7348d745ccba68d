import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { afterAll, describe, expect, it } from 'vitest';
import { DENIED_WORDS } from '../../src/decide/guard/words.ts';
import { ALLOWLIST } from '../../src/spec/allowlist.ts';

const folder = mkdtempSync(join(tmpdir(), 'cordon-spec-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The library as it would be with another allowlist.ts. */
async function withAllowlist(contents: string): Promise<typeof import('../../src/spec/index.ts')> {
  const outfile = join(folder, `${Math.random()}.mjs`);
  await build({
    entryPoints: [join(import.meta.dirname, '../../src/spec/index.ts')],
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile,
    plugins: [
      {
        name: 'edited',
        setup: (on) => on.onLoad({ filter: /spec\/allowlist\.ts$/ }, () => ({ contents, loader: 'ts' })),
      },
    ],
  });
  return import(pathToFileURL(outfile).href);
}

const HOST = {
  PATH: '/b',
  GITHUB_TOKEN: 'canary',
  MY_api_key: 'canary',
  DB_PASSWORD: 'canary',
  LD_PRELOAD: '/x.so',
  HOME: '/h',
};
const EVERYTHING = `export const ALLOWLIST = { names: ['PATH', 'GITHUB_TOKEN', 'MY_api_key'], prefixes: ['DB_', 'L', ''] };`;

describe('an allowlist.ts that someone edited carelessly', () => {
  it('still lets no credential through the filter', async () => {
    const { filterSandboxEnv } = await withAllowlist(EVERYTHING);
    expect({ ...filterSandboxEnv(HOST) }).toEqual({ HOME: '/h', PATH: '/b' });
  });

  it('fails every build, naming the entries', async () => {
    const { SandboxSpecBuilder } = await withAllowlist(
      `export const ALLOWLIST = { names: ['PATH', 'GITHUB_TOKEN', 'MY_api_key'], prefixes: ['DB_'] };`,
    );
    const builder = new SandboxSpecBuilder().inheritFrom({ PATH: '/b' }).command(['true']);
    expect(() => builder.build()).toThrow(
      expect.objectContaining({ name: 'SandboxSpecForbidden', names: ['GITHUB_TOKEN', 'MY_api_key'] }),
    );
  });
});

describe('allowlist.ts as it is', () => {
  it('is the list of C1', () => {
    expect(ALLOWLIST).toEqual({ names: ['HTTPS_PROXY', 'NODE_ENV', 'PATH'], prefixes: ['NPM_CONFIG_'] });
  });

  it('has no entry with a denied word', () => {
    for (const entry of [...ALLOWLIST.names, ...ALLOWLIST.prefixes])
      for (const word of DENIED_WORDS) expect(entry.toUpperCase()).not.toContain(word);
  });
});
