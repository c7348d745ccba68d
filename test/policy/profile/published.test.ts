import { Ajv } from 'ajv';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CordonError } from '../../../src/host/errors.ts';
import { childOf, type Place } from '../../../src/policy/load/node.ts';
import { readPlain } from '../../../src/policy/load/plain.ts';
import { Problems } from '../../../src/policy/load/problems.ts';
import { Source } from '../../../src/policy/load/source.ts';
import { loadPolicy } from '../../../src/policy/profile/load-policy.ts';
import { type ProfileData, profileJsonSchema } from '../../../src/policy/profile/schema.ts';
import { check, object, text } from '../../../src/policy/profile/shape.ts';

const { $schema: _, ...published } = profileJsonSchema();
const fitsSchema = new Ajv({ strict: false }).compile(published);

async function isTaken(profile: object): Promise<boolean> {
  try {
    await loadPolicy({ profile: profile as ProfileData, home: '/home/u', workdir: '/w' });
    return true;
  } catch (error) {
    if (error instanceof CordonError) return false;
    throw error;
  }
}

const FIELDS: Readonly<Record<string, (text: string) => object>> = {
  allow_vars: (text) => ({ environment: { allow_vars: [text] } }),
  allow_patterns: (text) => ({ environment: { allow_patterns: [text] } }),
  deny_vars: (text) => ({ environment: { deny_vars: [text] } }),
  except: (text) => ({ environment: { deny_vars: [{ pattern: 'A', except: text }] } }),
  unset_vars: (text) => ({ environment: { unset_vars: [text] } }),
  write: (text) => ({ filesystem: { write: [text] } }),
  expose: (text) => ({ filesystem: { expose: [text] } }),
  workspace: (text) => ({ filesystem: { workspace: text } }),
  'network.allow': (text) => ({ network: { allow: [text] } }),
  'network.deny': (text) => ({ network: { deny: [text] } }),
  'session.path': (text) => ({ session: { path: [text] } }),
  'session.blocked_hosts': (text) => ({ session: { blocked_hosts: [text] } }),
  preset: (text) => ({ filesystem: { preset: text } }),
  base: (text) => ({ environment: { base: text } }),
  isolation: (text) => ({ isolation: text }),
};

/** What no schema can say: a [ needs its ], and a name has to be known. */
const ONLY_THE_LOADER = /[[@]|^all$/;

const parts = fc.constantFrom(
  ...['A', 'b', '_', '1', '*', '?', '[a]', '!', '=', ' ', '\n', '\u00a0', 'à', '\0', ',', '.', ':', '-', '@npm', '@'],
  ...['/', '~', '~/', '$HOME', '$HOME/', '$WORKDIR/x', '$X', 'example.com', '10.0.0.0/8', 'real', 'aside', 'guarded'],
);
const texts = fc.array(parts, { maxLength: 5 }).map((all) => all.join(''));

describe('the published schema', () => {
  it('is what checks a text, also where no reader looks at it', () => {
    const shape = object('an object', { name: { shape: text({ expected: 'an a', pattern: '^a$' }), about: '' } });
    const source = new Source('it');
    const node = readPlain(source, { name: 'b' });
    const problems = new Problems(source);
    check(shape, node, problems);
    expect(() => problems.throwIfAny()).toThrow(/^expected an a$/);
    problems.add(childOf(node, 'name')?.place as Place, 'b is not a');
    expect(() => problems.throwIfAny()).toThrow(expect.objectContaining({ message: 'b is not a', related: [] }));
  });

  it.each([['~/bin'], ['bin'], ['/a:/b'], ['']])(
    'takes no session.path %j, and neither does the loader',
    async (path) => {
      const profile = { session: { path: [path] } };
      expect(fitsSchema(profile)).toBe(false);
      expect(await isTaken(profile)).toBe(false);
    },
  );

  it.each(Object.keys(FIELDS))('takes what is taken as %s', async (field) => {
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        const profile = FIELDS[field]?.(text) ?? {};
        if (await isTaken(profile)) expect(fitsSchema(profile), JSON.stringify(profile)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it.each(['allow_vars', 'allow_patterns', 'deny_vars', 'except', 'unset_vars', 'write', 'expose'])(
    'takes nothing as %s that is refused',
    async (field) => {
      await fc.assert(
        fc.asyncProperty(texts, async (text) => {
          const profile = FIELDS[field]?.(text) ?? {};
          if (!ONLY_THE_LOADER.test(text) && fitsSchema(profile))
            expect(await isTaken(profile), JSON.stringify(profile)).toBe(true);
        }),
        { numRuns: 300 },
      );
    },
  );
});
