import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decide } from '../../src/decide/decide.ts';
import { compileRules, type Rule } from '../../src/decide/rules.ts';
import { type Bytes, bufferOfBytes, showBytes } from '../../src/host/bytes.ts';
import { ParentEnv } from '../../src/host/parent-env.ts';
import { planLine } from '../../src/plan/plan.ts';
import { ruleLines } from '../../src/plan/rule-lines.ts';
import { Pattern } from '../../src/policy/pattern.ts';
import { DEFAULT_POLICY, type Policy } from '../../src/policy/policy.ts';
import { EVERYTHING } from '../support/extent.ts';
import { BUILDS, programs } from './support.ts';

const CASES = EVERYTHING ? 100_000 : 10_000;
const BATCH = 500;
const ENVIRONMENTS = 10;
const PROGRAM = join(programs(BUILDS[0]), 'decide-cases');

/** Few letters, so that patterns and names meet; and the odd byte. */
const letter = fc.constantFrom('A', 'B', 'C', '_', 'a', '.', '-', '%', '\xff', '\xc3');
const interesting = fc.constantFrom(
  ...[
    'LD_PRELOAD',
    'LANG',
    'LC_ALL',
    'TZ',
    'TERM',
    'GIT_SSH',
    'CORDON_HOME',
    'NODE_OPTIONS',
    'npm_config_Shell',
    'PATH',
    'ENV',
    'SSH_AUTH_SOCK',
    'Tmp',
    'user',
  ],
);
const name = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: letter, minLength: 1, maxLength: 7 }) },
  { weight: 1, arbitrary: interesting },
);
const piece = fc.oneof(letter, fc.constantFrom('*', '?', '*', '[AB]', '[!A]', '[A-C]', '[]]', '[!]_]', '[a-\xff]'));
const pattern = fc.oneof(
  { weight: 4, arbitrary: fc.array(piece, { minLength: 1, maxLength: 5 }).map((parts) => parts.join('')) },
  { weight: 1, arbitrary: interesting },
);
const value = fc.oneof(
  fc.string({ unit: fc.constantFrom('x', '/', '%', '.', ':', ' ', '\x01', '\xff'), maxLength: 5 }),
  fc.constantFrom('() { :;}', '/usr/share/zoneinfo/UTC', ':/etc/x', '..', 'de_DE.UTF-8', '() x'),
);
const environment = fc.array(fc.tuple(name, value), { maxLength: 6 });
/** Every other one ignores case, as its length has it: what TypeScript writes for that is all the launcher sees. */
const rule = (text: string) => ({
  pattern: text.length % 2 === 0 && isText(text) ? Pattern.ignoringCase(text) : Pattern.ofBytes(text as Bytes),
  origin: 'test',
});
const isText = (text: string) => !/[\x80-\xff]/.test(text);
const policies: fc.Arbitrary<Policy> = fc
  .record({
    preset: fc.constantFrom('all' as const, 'none' as const, 'os-common' as const, 'core' as const),
    allow: fc.array(pattern, { maxLength: 4 }),
    deny: fc.array(fc.tuple(pattern, fc.array(pattern, { maxLength: 2 })), { maxLength: 3 }),
    set: fc.array(name, { maxLength: 1 }),
  })
  .map(({ preset, allow, deny, set }) => ({
    ...DEFAULT_POLICY,
    base: { preset, origin: 'test' },
    allow: allow.map(rule),
    deny: deny.map(([text, except]) => ({ ...rule(text), except: except.map((one) => rule(one).pattern) })),
    set: set.map((one) => ({ name: one as Bytes, value: 'set' as Bytes, origin: 'test' })),
  }));

interface Case {
  readonly policy: Policy;
  readonly entries: readonly (readonly [string, string])[];
}

function framed(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  return Buffer.concat([length, bytes]);
}

function blockOf({ entries }: Case): Buffer {
  return Buffer.from(entries.map(([key, text]) => `${key}=${text}\0`).join(''), 'latin1');
}

function encode(one: Case): Buffer {
  const lines = [
    ...ruleLines(one.policy),
    ...one.policy.set.map(({ name: key, value: text }) => planLine('set', key, text)),
  ];
  const text = [
    'cordon-plan 2',
    'name t',
    ...lines,
    'command /bin/true',
    'arg true',
    'isolation filter',
    'end',
    '',
  ].join('\n');
  return Buffer.concat([framed(bufferOfBytes(text as Bytes)), framed(blockOf(one))]);
}

const KINDS = ['replace', 'control', 'never', 'hold', 'check', 'deny', 'allow'];
const OUTCOMES = ['passed', 'by rule', 'default', 'unusable name', 'duplicate', 'value () {', 'replace'];

/** What C decided for the first entry of each name. */
function decodeCase(
  output: Buffer,
  at: number,
  one: Case,
  rules: readonly Rule[],
): { next: number; decided: Record<string, string> } {
  const count = output.readUInt32LE(at);
  expect(count, `refused: ${ruleLines(one.policy).slice(-6).join('; ')}`).toBe(one.entries.length);
  const decided: Record<string, string> = {};
  for (const [i, [key]] of one.entries.entries()) {
    const [outcome, kind, number] = [
      output.readUInt8(at + 4 + i * 6),
      output.readUInt8(at + 5 + i * 6),
      output.readUInt32LE(at + 6 + i * 6),
    ];
    const found = kind === 255 ? undefined : rules.filter((candidate) => candidate.kind === KINDS[kind])[number];
    decided[key] ??=
      found === undefined ? (OUTCOMES[outcome] as string) : `${found.kind} ${showBytes(found.pattern.source)}`;
  }
  return { next: at + 4 + count * 6, decided };
}

/** What TypeScript decided, in the same words. */
function expected(one: Case): Record<string, string> {
  const decisions = decide(one.policy, ParentEnv.fromBlock(blockOf(one)));
  const known = new Map(decisions.map(({ name: key, rule: text }) => [key as string, text]));
  return Object.fromEntries(one.entries.map(([key]) => [key, known.get(key) as string]));
}

/** A name that is set is one decision in TypeScript, and an inherited value that gives way, for whatever reason, in C. */
function setNamesAlike(one: Case, decided: Record<string, string>): Record<string, string> {
  for (const { name: key } of one.policy.set) {
    if (decided[key] !== undefined && !decided[key].startsWith('allow ')) decided[key] = `set ${showBytes(key)}`;
  }
  return decided;
}

/** Each policy meets several environments; one process of the C side answers a whole batch. */
function compareBatch(seed: number): number {
  const drawn = fc.sample(
    fc.tuple(policies, fc.array(environment, { minLength: ENVIRONMENTS, maxLength: ENVIRONMENTS })),
    { seed, numRuns: BATCH },
  );
  const cases = drawn.flatMap(([policy, environments]) => environments.map((entries): Case => ({ policy, entries })));
  const { stdout, status } = spawnSync(PROGRAM, { input: Buffer.concat(cases.map(encode)), maxBuffer: 1 << 28 });
  expect(status).toBe(0);
  let at = 0;
  for (const one of cases) {
    const { next, decided } = decodeCase(stdout, at, one, compileRules(one.policy));
    const [fromC, fromTypeScript] = [setNamesAlike(one, decided), expected(one)];
    if (JSON.stringify(fromC) !== JSON.stringify(fromTypeScript)) expect(fromC).toEqual(fromTypeScript);
    at = next;
  }
  return cases.length;
}

it(`TypeScript and C decide alike for at least ${CASES} policies and environments`, () => {
  const seed = Number(process.env.CORDON_TEST_SEED);
  let compared = 0;
  for (let batch = 0; compared < CASES; batch++) compared += compareBatch(seed + batch);
  expect(compared).toBeGreaterThanOrEqual(CASES);
}, 300_000);
