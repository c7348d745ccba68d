import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { Draft, type DraftProfile } from '../../src/exchange/draft.ts';
import { exportPolicy } from '../../src/exchange/export.ts';
import { mustBeAccepted } from '../../src/exchange/fate.ts';
import type { ImportFormat } from '../../src/exchange/from/importer.ts';
import { importerFor, importFile } from '../../src/exchange/import.ts';
import { HOME, TARGETS, type Target, WORKDIR } from '../../src/exchange/to/view.ts';
import { ParentEnv } from '../../src/host/parent-env.ts';
import type { Policy } from '../../src/policy/policy.ts';
import { loadPolicy } from '../../src/policy/profile/load-policy.ts';
import type { ProfileData } from '../../src/policy/profile/schema.ts';
import { BUILT_IN_PROFILES } from '../../src/policy/profiles/index.ts';

const ENV = ParentEnv.fromBlock(Buffer.from(''));
const folder = mkdtempSync(join(tmpdir(), 'cordon-exchange-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function imported(format: ImportFormat, data: object): Promise<DraftProfile> {
  const draft = new Draft();
  const input = { path: '', text: '', data: data as never, env: ENV, home: HOME, only: undefined };
  await importerFor(format).read({ ...input, beside: async () => undefined }, draft);
  return draft.profile;
}

const policyOf = (profile: object): Promise<Policy> =>
  loadPolicy({ profile: profile as ProfileData, home: HOME, workdir: WORKDIR });

const FILES: Readonly<Record<Target, [string, ImportFormat]>> = {
  codex: ['config.toml', 'codex'],
  gemini: ['settings.json', 'gemini'],
  claude: ['settings.json', 'claude'],
  srt: ['srt.json', 'srt'],
  nono: ['nono.json', 'nono'],
  docker: ['compose.yaml', 'compose'],
  devcontainer: ['devcontainer.json', 'devcontainer'],
  firejail: ['app.profile', 'firejail'],
};

/** What is written out, read in again as any file is. */
async function exportedAndImported(target: Target, policy: Policy): Promise<DraftProfile> {
  const [name, format] = FILES[target];
  const { text } = exportPolicy(target, 'p', policy, HOME);
  const path = join(folder, name);
  writeFileSync(path, text, { mode: 0o600 });
  return (await importFile(path, { env: ENV, home: HOME, format })).profile;
}

const name = fc.constantFrom('PATH', 'HOME', 'FOO', 'foo_bar', 'MYAPP_MODE', 'AWS_REGION');
const glob = fc.constantFrom('FOO*', '*BAR', 'A?B', 'my_*', 'X[Y', 'KEYBOARD');
const pattern = fc.oneof(name, glob);
const path = fc.constantFrom('/srv/a', '/opt/b/c', '~/work', '~/.cache/x');
const host = fc.constantFrom('example.com:443', '*.example.org:8443', 'api.example.com:80');
const unique = <T>(one: fc.Arbitrary<T>) => fc.uniqueArray(one, { maxLength: 3 });
const values = fc.dictionary(fc.constantFrom('A', 'B_MODE'), fc.constantFrom('1', 'two words', '$HOME', '"x"\\'));

/** Policies of each tool that Cordon can say as they are. */
const SAYABLE: Readonly<Partial<Record<Target, fc.Arbitrary<object>>>> = {
  codex: fc.record({
    sandbox_mode: fc.constantFrom('read-only', 'workspace-write', 'danger-full-access'),
    sandbox_workspace_write: fc.record({ network_access: fc.boolean(), writable_roots: unique(path) }),
    shell_environment_policy: fc.record(
      {
        inherit: fc.constantFrom('all', 'core', 'none'),
        exclude: unique(pattern),
        set: values,
        include_only: unique(pattern),
      },
      { requiredKeys: [] },
    ),
  }),
  gemini: fc.record({
    security: fc.record({
      environmentVariableRedaction: fc.record({
        enabled: fc.constant(true),
        allowed: unique(fc.constantFrom('MY_TOKEN', 'X_KEY')),
        blocked: unique(fc.constantFrom('FOO', 'BAR')),
      }),
    }),
  }),
  srt: fc.record({
    network: fc.record({ allowedDomains: unique(host), deniedDomains: fc.constant([]) }),
    filesystem: fc.record({
      denyRead: unique(fc.constantFrom('~/p', '/srv/q')),
      allowWrite: unique(fc.constantFrom('.', '/srv/a', '~/work')),
      denyWrite: unique(fc.constantFrom('/srv/a/b', './dist')),
    }),
    credentials: fc.record({ envVars: unique(name).map((names) => names.map((one) => ({ name: one, mode: 'deny' }))) }),
  }),
  nono: fc.record(
    {
      environment: fc.record(
        { allow_vars: unique(fc.constantFrom('PATH', 'AWS_*', 'foo')), deny_vars: unique(fc.constantFrom('A', 'B_*')) },
        { requiredKeys: [] },
      ),
      env_credentials: fc.constantFrom({}, { account: 'OPENAI_API_KEY' }, { 'op://v/i/f': 'X_KEY' }),
      filesystem: fc.record({
        allow: unique(path),
        read: unique(fc.constantFrom('/usr/x', '~/r')),
        deny: unique(fc.constantFrom('~/p')),
      }),
      network: fc.record({ block: fc.boolean() }),
    },
    { requiredKeys: ['filesystem'] },
  ),
};

const RUNS = 60;
const plain = (profile: DraftProfile) => JSON.parse(JSON.stringify(profile)) as unknown;

describe('what both sides can say comes back as it was', () => {
  test.each(Object.entries(SAYABLE))('%s', { timeout: 120_000 }, async (target, policies) => {
    await fc.assert(
      fc.asyncProperty(policies, async (data) => {
        const first = await imported(FILES[target as Target][1], data);
        const back = await exportedAndImported(target as Target, await policyOf(first));
        const [before, after] = [await policyOf(first), await policyOf(back)];
        expect(rulesOf(after)).toEqual(rulesOf(before));
        expect(plain(await exportedAndImported(target as Target, after))).toEqual(plain(back));
      }),
      { numRuns: RUNS },
    );
  });
});

/** A policy without where its rules are written. */
function rulesOf({ base, allow, deny, set, credentials, guard, filesystem, network, isolation }: Policy): unknown {
  const sources = (rules: Policy['allow']) => rules.map(({ pattern }) => pattern.source).toSorted();
  return {
    base: base.preset,
    allow: sources(allow),
    deny: deny.map(({ pattern, except }) => [pattern.source, except.map(({ source }) => source).toSorted()]).toSorted(),
    set: set.map(({ name: key, value }) => [key, value]).toSorted(),
    credentials: credentials.map(({ source, target }) => [source, target]),
    guard,
    filesystem,
    network: {
      mode: network.mode,
      allow: network.allow.map(({ text }) => text),
      deny: network.deny.map(({ text }) => text),
    },
    isolation: isolation === 'filter' ? 'filter' : 'held',
  };
}

describe('every built-in profile can be exported, and says what is lost', () => {
  const cases = TARGETS.flatMap((target) =>
    Object.keys(BUILT_IN_PROFILES).map((profile) => [target, profile] as const),
  );

  test.each(cases)('--as %s %s', async (target, profile) => {
    const policy = await loadPolicy({ profile, home: HOME, workdir: WORKDIR });
    const { text, rows } = exportPolicy(target, profile, policy, '/home/u');
    expect(text).not.toContain(HOME);
    expect(text).not.toContain(WORKDIR);
    expect(rows.length).toBeGreaterThan(0);
    const [file, format] = FILES[target];
    writeFileSync(join(folder, file), text, { mode: 0o600 });
    const again = await importFile(join(folder, file), { env: ENV, home: '/home/u', format });
    const unknown = again.rows.filter((row) => mustBeAccepted(row) && row.fate !== 'wider');
    expect(unknown).toEqual([]);
  });
});
