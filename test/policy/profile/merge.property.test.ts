import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bytesOfText } from '../../../src/host/bytes.ts';
import { credentialRule } from '../../../src/policy/credential.ts';
import { type HostRule, parseHost } from '../../../src/policy/network/rules.ts';
import { Pattern } from '../../../src/policy/pattern.ts';
import { EMPTY_LAYER, type Layer } from '../../../src/policy/profile/layer.ts';
import { mergeLayers, withUniqueTargets } from '../../../src/policy/profile/merge.ts';

const name = fc.constantFrom('A', 'B', 'C', 'D_*', '*');
const key = fc.constantFrom('A', 'B', 'C', 'D');
const located = <Value>(values: fc.Arbitrary<Value>) =>
  fc.option(
    values.map((value) => ({ value, origin: 'o' })),
    { nil: undefined },
  );
const rulesOf = (text: string): readonly HostRule[] => {
  const parsed = parseHost(text, 'o');
  return 'rules' in parsed ? parsed.rules : [];
};
const paths = fc.uniqueArray(
  fc.constantFrom('/a', '/b', '/c').map((value) => ({ value, origin: 'o' })),
  { selector: ({ value }) => value },
);

const credentials = fc
  .uniqueArray(fc.record({ target: key, source: key, byKey: fc.boolean() }), {
    selector: ({ target }) => target,
    maxLength: 4,
  })
  .map((list) => {
    const seen = new Set<string>();
    return list.flatMap(({ target, source, byKey }) => {
      if (byKey && seen.size === seen.add(source).size) return [];
      const rule = credentialRule({ target: bytesOfText(target), source, origin: 'o' });
      return [{ rule, key: byKey ? source : undefined }];
    });
  });

const hosts = fc
  .uniqueArray(fc.constantFrom('a.test', '*.b.test', 'c.test:99', '@host:5432', '*'))
  .map((texts) => texts.flatMap(rulesOf));

const layer: fc.Arbitrary<Layer> = fc.record({
  base: located(fc.constantFrom('all' as const, 'none' as const, 'agent' as const)),
  allow: fc.option(
    fc
      .uniqueArray(name)
      .map((names) => ({ origin: 'o', rules: names.map((one) => ({ pattern: Pattern.parse(one), origin: 'o' })) })),
    { nil: undefined },
  ),
  deny: fc
    .uniqueArray(name)
    .map((names) => names.map((one) => ({ pattern: Pattern.parse(one), except: [], origin: 'o' }))),
  set: fc.dictionary(key, fc.string()).map((record) =>
    Object.entries(record).map(([one, value]) => ({
      name: bytesOfText(one),
      value: bytesOfText(value),
      origin: 'o',
    })),
  ),
  unset: fc.uniqueArray(key).map((names) => names.map((one) => ({ value: bytesOfText(one), origin: 'o' }))),
  credentials,
  sshKeys: fc
    .uniqueArray(fc.constantFrom('id_ed25519', 'work key'))
    .map((keys) => keys.map((one) => ({ key: one, hosts: [{ name: 'a.test', below: false, port: 22 }], origin: 'o' }))),
  guardExceptions: fc
    .uniqueArray(key)
    .map((names) => names.map((one) => ({ name: bytesOfText(one), reason: 'needed', origin: 'o' }))),
  guard: located(fc.constantFrom('off' as const, 'strip' as const)),
  filesystem: located(fc.constantFrom('all' as const, 'minimal' as const, undefined)),
  paths: fc.record({ write: paths, read: paths, hide: paths, expose: paths }),
  allowsPaths: fc.boolean(),
  workspace: fc.record({
    folder: located(fc.constantFrom('/a', '/b')),
    mode: located(fc.constantFrom('real' as const, 'aside' as const, 'read-only' as const)),
  }),
  network: fc.record({
    block: located(fc.boolean()),
    allow: fc.option(
      hosts.map((rules) => ({ origin: 'o', rules })),
      { nil: undefined },
    ),
    deny: hosts,
    connections: located(fc.integer({ min: 1, max: 9 })),
    silenceSeconds: located(fc.integer({ min: 1, max: 9 })),
  }),
  isolation: located(fc.constantFrom('auto' as const, 'barrier' as const)),
  redact: located(fc.boolean()),
  session: fc.option(
    fc.record({
      limits: fc.record({ processes: fc.nat(9), memory: fc.nat(9) }, { requiredKeys: [] }),
      path: fc.uniqueArray(fc.constantFrom('/a', '/b', '/c')),
      blockedHosts: hosts,
    }),
    { nil: undefined },
  ),
  warnings: fc.uniqueArray(fc.constantFrom('one', 'two', 'three')),
}) satisfies fc.Arbitrary<Required<{ [Key in keyof Layer]: unknown }>>;

const layers = fc.array(layer, { maxLength: 5 });
const allowOf = ({ allow }: Layer) => allow?.rules.map(({ pattern }) => pattern.source);
const plain = (value: Layer) => JSON.parse(JSON.stringify(value)) as unknown;

describe('merging layers, for any layers', () => {
  test('grouping does not matter: a chain can be merged from any side', () => {
    fc.assert(
      fc.property(layers, layers, layers, (a, b, c) => {
        const left = mergeLayers([mergeLayers([...a, ...b]), ...c]);
        const right = mergeLayers([...a, mergeLayers([...b, ...c])]);
        expect(plain(left)).toEqual(plain(right));
      }),
      { numRuns: 2000 },
    );
  });

  test('what was replaced does not come back when what replaced it is unset', () => {
    const rule = (target: string) => credentialRule({ target: bytesOfText(target), source: 'S', origin: 'o' });
    const [first, second] = ['A', 'B'].map((one) => ({ ...EMPTY_LAYER, credentials: [{ rule: rule(one), key: 'S' }] }));
    const third = { ...EMPTY_LAYER, unset: [{ value: bytesOfText('B'), origin: 'o' }] };
    const all = [first, second, third] as Layer[];
    const [one, ...others] = all as [Layer, ...Layer[]];
    for (const merged of [mergeLayers(all), mergeLayers([one, mergeLayers(others)])])
      expect(withUniqueTargets(merged).credentials).toEqual([]);
  });

  test('a layer twice in a row is a layer once, and an empty one is none', () => {
    fc.assert(
      fc.property(layer, (one) => {
        expect(plain(mergeLayers([one, one]))).toEqual(plain(mergeLayers([one])));
        expect(plain(mergeLayers([EMPTY_LAYER, one, EMPTY_LAYER]))).toEqual(plain(mergeLayers([one])));
      }),
    );
  });

  test('the allow list is the lists one after the other, each entry at its first place', () => {
    fc.assert(
      fc.property(layers, (all) => {
        const lists = all.flatMap((one) => (one.allow === undefined ? [] : [allowOf(one) ?? []]));
        const expected = lists.length === 0 ? undefined : [...new Set(lists.flat())];
        expect(allowOf(mergeLayers(all))).toEqual(expected);
      }),
    );
  });

  test('every target and every name is there once, and the last layer has its way', () => {
    fc.assert(
      fc.property(layers, layer, (under, over) => {
        const merged = withUniqueTargets(mergeLayers([...under, over]));
        const targets = merged.credentials.map(({ rule }) => rule.target);
        const names = merged.set.map((rule) => rule.name);
        expect(new Set(targets).size).toBe(targets.length);
        expect(new Set(names).size).toBe(names.length);
        for (const entry of over.credentials) expect(merged.credentials).toContain(entry);
        for (const rule of over.set) expect(merged.set).toContain(rule);
        for (const { target } of merged.credentials.map(({ rule }) => rule)) {
          expect([...under, over].flatMap((one) => one.credentials.map(({ rule }) => rule.target))).toContain(target);
        }
      }),
    );
  });
});
