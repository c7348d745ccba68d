import { describe, expect, test } from 'vitest';
import { Draft } from '../../src/exchange/draft.ts';
import { mustBeAccepted, type Row } from '../../src/exchange/fate.ts';
import type { ImportFormat } from '../../src/exchange/from/importer.ts';
import { importerFor } from '../../src/exchange/import.ts';
import { ParentEnv } from '../../src/host/parent-env.ts';
import { loadPolicy } from '../../src/policy/profile/load-policy.ts';
import type { ProfileData } from '../../src/policy/profile/schema.ts';
import { CODEX_PERMISSIONS, type Expected, KEY_CASES, type KeyCase } from './key-cases.ts';

/** An object with this one thing said, at the end of a way of keys. */
function saying({ key, value }: KeyCase, cut: number): Record<string, unknown> {
  const parts = key.split('.');
  const way = parts.length > cut ? [...parts.slice(0, cut), parts.slice(cut).join('.')] : parts;
  return way.reduceRight<unknown>((inner, one) => ({ [one]: inner }), value) as Record<string, unknown>;
}

async function imported(format: ImportFormat, data: object): Promise<readonly Row[]> {
  const draft = new Draft();
  const env = ParentEnv.fromBlock(Buffer.from(''));
  const input = { path: '', text: '', data: data as never, env, home: '/home/u', only: undefined };
  await importerFor(format).read({ ...input, beside: async () => undefined }, draft);
  await loadPolicy({ profile: draft.profile as ProfileData, home: '/home/u', workdir: '/' });
  return draft.rows;
}

/** What rows say about a key, the strictest first. */
function fateOf(rows: readonly Row[], key: string): Expected | undefined {
  const own = rows.filter((row) => row.key === key || row.key.startsWith(`${key}(`) || row.key.startsWith(`${key}.`));
  if (own.some(mustBeAccepted)) return 'accept';
  if (own.some(({ aside }) => aside === true)) return 'aside';
  const narrower = own.find(({ fate }) => fate === 'narrower');
  return (narrower ?? own[0])?.fate as Expected | undefined;
}

/** What a file has to say besides, so that a key counts for something. */
const CONTEXT: Readonly<Record<string, object>> = {
  claude: { sandbox: { enabled: true } },
  gemini: {},
};

function merged(under: object, over: Record<string, unknown>): object {
  const sandbox = { ...(under as { sandbox?: object }).sandbox, ...(over.sandbox as object | undefined) };
  return { ...under, ...over, ...(Object.keys(sandbox).length === 0 ? {} : { sandbox }) };
}

describe.each(Object.entries(KEY_CASES))('%s: every key of its schema has its fate', (format, cases) => {
  test.each(cases.map((one) => [one.key, one.expected, one] as const))('%s: %s', async (key, expected, one) => {
    const enabled = key.startsWith('security.environmentVariableRedaction.blocked') ? { enabled: true } : {};
    const data = saying(one, 3);
    const redaction = (data.security as { environmentVariableRedaction?: object } | undefined)
      ?.environmentVariableRedaction;
    if (redaction !== undefined) Object.assign(redaction, { ...enabled, ...redaction });
    expect(fateOf(await imported(format as ImportFormat, merged(CONTEXT[format] ?? {}, data)), key)).toBe(expected);
  });
});

describe('codex: every key of a permission profile has its fate', () => {
  test.each(CODEX_PERMISSIONS.map((one) => [one.key, one.expected, one] as const))(
    '%s: %s',
    async (key, expected, one) => {
      const [section = '', ...rest] = key.split('.');
      const permissions = { p: saying(one, 1) };
      if (section === 'network' && rest[0] !== 'enabled')
        Object.assign(permissions.p.network as object, { enabled: true });
      const rows = await imported('codex', { default_permissions: 'p', permissions });
      const way = ['filesystem', 'workspace_roots'].includes(section)
        ? `permissions.p.${section}(${rest.join('.')})`
        : `permissions.p.${key}`;
      expect(fateOf(rows, way)).toBe(expected);
    },
  );
});

test('of nono the keys that real profiles use most load the same or narrower', () => {
  const most =
    'workdir.access groups network.custom_credentials network.network_profile network.credentials security interactive credential_capture network.allow_domain';
  for (const key of most.split(' ')) {
    const one = KEY_CASES.nono?.find((entry) => entry.key === key);
    expect(['same', 'narrower'], key).toContain(one?.expected);
  }
});
