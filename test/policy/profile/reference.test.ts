import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
// @ts-expect-error a plain script without types
import { referenceOf } from '../../../scripts/lib/profile-reference.mjs';
import { profileJsonSchema } from '../../../src/policy/profile/schema.ts';
import { BUILT_IN_PROFILES } from '../../../src/policy/profiles/index.ts';

const read = (name: string) => readFileSync(new URL(`../../../docs/${name}`, import.meta.url), 'utf8');

describe('the documentation says what the schema says', () => {
  test('docs/reference is up to date (scripts/profile-reference.mjs)', () => {
    expect(read('reference/profile.md')).toBe(referenceOf(profileJsonSchema()));
    expect(JSON.parse(read('reference/profile.schema.json'))).toEqual(JSON.parse(JSON.stringify(profileJsonSchema())));
  });

  test('docs/profiles.md names every built-in profile', () => {
    for (const name of Object.keys(BUILT_IN_PROFILES)) expect(read('profiles.md')).toContain(`\`${name}\``);
  });
});
