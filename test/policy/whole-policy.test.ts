import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { decide } from '../../src/decide/decide.ts';
import { bytesOfText } from '../../src/host/bytes.ts';
import { ParentEnv } from '../../src/host/parent-env.ts';
import { parseHost } from '../../src/policy/network/rules.ts';
import { Pattern } from '../../src/policy/pattern.ts';
import { DEFAULT_POLICY, type Policy } from '../../src/policy/policy.ts';
import { readWholePolicy, wholePolicyText } from '../../src/policy/whole-policy.ts';

const folder = mkdtempSync(join(tmpdir(), 'whole-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(text: string, mode = 0o600): string {
  const path = join(folder, 'policy.json');
  rmSync(path, { force: true });
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

const hosts = (...texts: readonly string[]) =>
  texts.flatMap((text) => {
    const parsed = parseHost(text, 'test');
    return 'rules' in parsed ? [...parsed.rules] : [];
  });

const FULL: Policy = {
  ...DEFAULT_POLICY,
  origin: 'profile web',
  base: { preset: 'agent', origin: 'adapter claude' },
  allow: [
    { pattern: Pattern.parse('AWS_*'), origin: 'web.json:2:3' },
    { pattern: Pattern.parse('A_TOKEN'), origin: 'adapter claude', extraKey: true },
    { pattern: Pattern.parse('AN_URL'), origin: 'adapter claude', plain: true },
  ],
  deny: [
    { pattern: Pattern.parse('*SECRET*'), except: [Pattern.parse('NO_SECRET')], origin: 'flag --deny' },
    { pattern: Pattern.exactly(bytesOfText('odd*name')), except: [], origin: 'flag --unset' },
  ],
  set: [{ name: bytesOfText('MODE'), value: bytesOfText('käse = "x"\n'), origin: 'flag --set' }],
  guard: 'strip',
  guardExceptions: [{ name: bytesOfText('TOKENIZER'), reason: 'a program', origin: 'web.json' }],
  filesystem: {
    ...{ preset: 'guarded', explicit: true, write: ['/srv/a'], read: ['/srv/b'], hide: ['/srv/c'], expose: ['/srv/d'] },
    ...{ show: ['/srv/e'], workspace: { mode: 'aside', folder: '/srv/f' } },
  },
  network: {
    ...{ mode: 'ask', allow: hosts('example.com:443=127.0.0.1:5', '10.0.0.0/8', '@npm'), deny: hosts('evil.test') },
    limits: { connections: 3, silenceSeconds: 9 },
  },
  isolation: 'barrier',
};

describe('a whole policy in a file', () => {
  it('comes back as it was written', () => {
    const path = file(wholePolicyText(FULL));
    const back = readWholePolicy(path);
    const plain = (policy: Policy) => JSON.parse(wholePolicyText(policy));
    expect(plain(back)).toEqual(plain(FULL));
    expect(back.network.allow.map(({ kind }) => kind)).toEqual(FULL.network.allow.map(({ kind }) => kind));
    expect(back).toMatchObject({ files: [path], credentials: [], isolation: 'barrier', guard: 'strip' });
  });

  it('decides as it did', () => {
    const names = [
      'AWS_KEY',
      'A_TOKEN',
      'AN_URL',
      'MY_SECRET',
      'NO_SECRET',
      'odd*name',
      'oddXname',
      'TOKENIZER',
      'HOME',
    ];
    const env = ParentEnv.fromRecord(Object.fromEntries(names.map((name) => [name, 'x'])));
    const verdicts = (policy: Policy) => decide(policy, env).map(({ name, verdict, rule }) => [name, verdict, rule]);
    expect(verdicts(readWholePolicy(file(wholePolicyText(FULL))))).toEqual(verdicts(FULL));
  });

  it('is refused where others may have written it', () => {
    const path = file(wholePolicyText(DEFAULT_POLICY));
    expect(readWholePolicy(path).origin).toBe('defaults');
    expect(() => readWholePolicy(file(wholePolicyText(DEFAULT_POLICY), 0o666))).toThrow(/write/);
  });

  const data = () => JSON.parse(wholePolicyText(DEFAULT_POLICY)) as Record<string, unknown>;
  it.each<[string, (of: ReturnType<typeof data>) => unknown, RegExp]>([
    ['is not JSON', () => '{', /not JSON/],
    ['is no object', () => [], /expected an object/],
    ['has a key that nobody knows', (of) => ({ ...of, credentials: [] }), /unknown key 'credentials'/],
    ['lacks one', ({ deny: _, ...others }) => others, /the key 'deny' is missing/],
    ['has another version', (of) => ({ ...of, version: 2 }), /version 2, not 1/],
    ['has a word that is none', (of) => ({ ...of, isolation: 'none' }), /expected one of auto, barrier, filter/],
    ['has a pattern that is none', (of) => ({ ...of, allow: [{ pattern: 'A[', origin: 'x' }] }), /a \[ without its \]/],
    [
      'has a name that is none',
      (of) => ({ ...of, allow: [{ pattern: 'A=', exact: true, origin: 'x' }] }),
      /not the name/,
    ],
    [
      'has a path that is relative',
      (of) => ({ ...of, filesystem: { ...(of.filesystem as object), hide: ['x'] } }),
      /'x' is not an absolute path/,
    ],
    [
      'has a host that is none',
      (of) => ({ ...of, network: { ...(of.network as object), deny: ['https://x.test'] } }),
      /is a URL, not a host/,
    ],
  ])('is refused where it %s', (_, change, message) => {
    const changed = change(data());
    const path = file(typeof changed === 'string' ? changed : JSON.stringify(changed));
    expect(() => readWholePolicy(path)).toThrow(message);
  });
});
