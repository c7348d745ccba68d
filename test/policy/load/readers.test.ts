import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CordonError } from '../../../src/host/errors.ts';
import { loadFile } from '../../../src/policy/load/load.ts';
import type { Node } from '../../../src/policy/load/node.ts';
import type { Source } from '../../../src/policy/load/source.ts';

const folder = mkdtempSync(join(tmpdir(), 'cordon-readers-'));
let count = 0;

async function load(extension: string, text: string | Buffer): Promise<{ root: Node; source: Source }> {
  const path = join(folder, `p${count++}.${extension}`);
  writeFileSync(path, text, { mode: 0o600 });
  return loadFile(path);
}

async function refusal(extension: string, text: string | Buffer): Promise<CordonError> {
  const error = await load(extension, text).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof CordonError)) throw new Error(`not refused as a policy: ${String(error)}`);
  expect(error.kind).toBe('policy');
  return error;
}

/** line:column of every scalar and key, with its value. */
function spots(node: Node, source: Source): string[] {
  const at = (place: Node['place']) => source.where(place).slice(source.name.length + 1);
  if (node.kind === 'scalar') return [`${at(node.place)} ${String(node.value)}`];
  if (node.kind === 'list') return node.items.flatMap((item) => spots(item, source));
  return node.entries.flatMap(({ key, keyPlace, value }) => [`${at(keyPlace)} ${key}:`, ...spots(value, source)]);
}

describe('the same tree with positions in every syntax', () => {
  test('JSON with comments and trailing commas', async () => {
    const { root, source } = await load('json', '// one\n{\n  "a": ["x", /* two */ "y",],\n  "b": {"c": true},\n}\n');
    expect(spots(root, source)).toEqual(['3:3 a:', '3:9 x', '3:24 y', '4:3 b:', '4:9 c:', '4:14 true']);
  });

  test('TOML with tables, dotted keys, inline tables and arrays of tables', async () => {
    const text = 'a = ["x",\n  "y"]\nd.e = 1\n[b]\nc = true\n[b.f]\n"q r" = {z = "v"}\n[[g]]\nh = 1\n[[g]]\nh = 2\n';
    const { root, source } = await load('toml', text);
    expect(spots(root, source)).toEqual([
      ...['1:1 a:', '1:6 x', '2:3 y', '3:1 d:', '3:3 e:', '3:7 1', '4:2 b:', '5:1 c:', '5:5 true'],
      ...['6:4 f:', '7:1 q r:', '7:10 z:', '7:14 v', '8:3 g:', '9:1 h:', '9:5 1', '11:1 h:', '11:5 2'],
    ]);
  });

  test('YAML with block and flow style', async () => {
    const { root, source } = await load('yaml', '# one\na:\n  - x\n  - "y"\nb: {c: true}\n');
    expect(spots(root, source)).toEqual(['2:1 a:', '3:5 x', '4:5 y', '5:1 b:', '5:5 c:', '5:8 true']);
  });

  test('Windows line ends and a byte order mark do not shift lines', async () => {
    const { root, source } = await load('json', '\ufeff{\r\n  "a": 1\r\n}\r\n');
    expect(spots(root, source)).toEqual(['2:3 a:', '2:8 1']);
  });

  test('YAML aliases give the value of their anchor', async () => {
    const { root, source } = await load('yml', 'a: &one [x]\nb: *one\n');
    expect(spots(root, source)).toEqual(['1:1 a:', '1:10 x', '2:1 b:', '1:10 x']);
  });

  test('YAML words stay text: yes, on, no', async () => {
    const { root } = await load('yaml', '[yes, on, no]');
    expect(root.kind === 'list' && root.items.map((item) => item.kind === 'scalar' && item.value)).toEqual([
      'yes',
      'on',
      'no',
    ]);
  });

  test('__proto__ is a key like any other', async () => {
    const { root } = await load('json', '{"__proto__": {"x": 1}}');
    expect(root.kind === 'map' && root.entries.map(({ key }) => key)).toEqual(['__proto__']);
    expect(Object.hasOwn(Object.prototype, 'x')).toBe(false);
  });
});

describe('broken syntax is refused with its spot', () => {
  test.each([
    ['json', '{\n  "a": 1\n  "b": 2\n}', ':3:3', 'comma'],
    ['json', '{"a": "x', ':1:7', 'no end'],
    ['json', "{'a': 1}", ':1:2', 'JSON'],
    ['json', '{"a": 1} x', ':1:10', 'JSON'],
    ['toml', 'a = 1\nb == 2\n', ':2:4', 'TOML'],
    ['toml', 'a = 1\na = 2\n', ':2:1', 'TOML'],
    ['toml', '[a]\nb = 1\n[a]\nc = 2\n', ':3:', 'TOML'],
    ['yaml', 'a: 1\nb: [x\n', ':3:1', 'YAML'],
    ['yaml', 'a: 1\na: 2\n', ':2:1', 'twice'],
    ['yaml', 'a: 1\n---\nb: 2\n', ':2:1', 'YAML'],
    ['yaml', 'a: *none\n', ':1:4', 'YAML'],
    ['yaml', 'a: !!js/function x\n', ':1:4', 'YAML'],
    ['yaml', '? [x]\n: 1\n', ':1:3', 'key must be text'],
    ['yaml', '1: x\n', ':1:1', 'key must be text'],
    ['yaml', '\ta: 1\n', ':1:1', 'YAML'],
  ])('%s %j', async (extension, text, where, word) => {
    const error = await refusal(extension, text);
    expect(error.where).toContain(`.${extension}${where}`);
    expect(error.message).toContain(word);
    expect(error.frame[1]).toMatch(/\^/);
  });

  test.each([
    ['json', '{"API": "hunter2'],
    ['json', '{"API": "hunter2" "x": 1}'],
    ['toml', 'api = "hunter2" x\n'],
    ['toml', "api = 'hunter2\n"],
    ['yaml', 'api: hunter2: x\n'],
    ['yaml', 'api: "hunter2\n'],
    ['yaml', 'api: "x" "hunter2"\n'],
    ['yaml', 'api: x\n"hunter2"\n'],
    ['yaml', '- hunter2\n} hunter2\n'],
    ['yaml', 'api: &hunter2 *hunter2\n'],
    ['toml', 'api = hunter2\n'],
    ['toml', '"hunter2"\n'],
    ['json', '{"api": hunter2}'],
  ])('and never with a value of the line: %s %s', async (extension, text) => {
    const error = await refusal(extension, text);
    expect([error.message, error.hint, ...error.frame].join('\n')).not.toContain('hunter2');
  });

  test('nor with anything that looks like a token', async () => {
    const error = await refusal('json', '{"a": [1 ghp0123456789abcdefghijklmnop]}');
    expect([error.message, ...error.frame].join('\n')).not.toContain('ghp0123456789');
  });
});

describe('files that are made to hurt', () => {
  test.each([
    ['json', '['.repeat(10_000) + ']'.repeat(10_000)],
    ['json', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`],
    ['json', '['.repeat(70) + ']'.repeat(70)],
    ['toml', `a = ${'['.repeat(10_000)}${']'.repeat(10_000)}`],
    ['toml', `[${Array(10_000).fill('a').join('.')}]\n`],
    ['toml', `a = ${'['.repeat(70)}${']'.repeat(70)}`],
    ['yaml', '['.repeat(10_000) + ']'.repeat(10_000)],
    ['yaml', `${'- '.repeat(10_000)}x`],
    ['yaml', Array.from({ length: 1200 }, (_, i) => `${' '.repeat(i)}a:`).join('\n')],
    ['yaml', '&a [*a]'],
    ['yaml', `${'? '.repeat(10_000)}x`],
    ['yaml', '{"]": '.repeat(10_000)],
    ['json', '{"]": '.repeat(10_000)],
    ['json', '[/* ] */'.repeat(10_000)],
    ['toml', `a = ${'{"}" = '.repeat(10_000)}`],
    ['toml', `a = ${'[""" ]\\""" ]""",'.repeat(10_000)}`],
  ])('%s: nesting too deep (%#)', async (extension, text) => {
    expect((await refusal(extension, text)).message).toContain('nested deeper than 64');
  });

  test('aliases that multiply', async () => {
    const level = (i: number) =>
      `l${i}: &l${i} [${Array(9)
        .fill(`*l${i - 1}`)
        .join(', ')}]`;
    const text = ['l0: &l0 [x, x]', ...Array.from({ length: 12 }, (_, i) => level(i + 1))].join('\n');
    expect((await refusal('yaml', text)).message).toContain('aliases multiply');
  });

  test('a hundred thousand small tables are read in reasonable time', async () => {
    const text = Array.from({ length: 60_000 }, (_, i) => `[t${i}]\n`).join('');
    const started = performance.now();
    const { root } = await load('toml', text);
    expect(root.kind === 'map' && root.entries.length).toBe(60_000);
    expect(performance.now() - started).toBeLessThan(15_000);
  });

  test.each([
    ['yaml', (i: number) => `k${i}: 1\n`],
    ['json', (i: number) => `${i === 0 ? '{' : ','}"k${i}": 1${i === 79_999 ? '}' : ''}`],
    ['toml', (i: number) => `k${i} = 1\n`],
  ])('%s: eighty thousand keys are read in reasonable time', async (extension, line) => {
    const started = performance.now();
    const { root } = await load(extension, Array.from({ length: 80_000 }, (_, i) => line(i)).join(''));
    expect(root.kind === 'map' && root.entries.length).toBe(80_000);
    expect(performance.now() - started).toBeLessThan(15_000);
  });

  test.each([
    ['json', ''],
    ['toml', '\n\n'],
    ['yaml', '   \n'],
    ['toml', '# only a comment\n'],
    ['yaml', '# only a comment\n'],
    ['yaml', 'a: 1\n...\n---\n'],
  ])('%s with nothing in it: %j', async (extension, text) => {
    await refusal(extension, text);
  });

  test('an extension that no reader knows', async () => {
    expect((await refusal('ini', 'a=1')).message).toContain('.json, .jsonc, .toml, .yaml, .yml');
  });
});
