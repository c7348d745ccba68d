import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'cordon-types-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const HEAD = `
import { filterSandboxEnv, SandboxSpecBuilder, type SandboxEnv, type SandboxSpec } from '${ROOT}/src/spec/index.ts';
declare const host: Record<string, string>;
declare const spec: SandboxSpec;
`;

const COMPILES: Readonly<Record<string, string>> = {
  filtered: 'export const made: SandboxSpec = { ...spec, env: filterSandboxEnv(host) };',
  built: "export const made: SandboxSpec = new SandboxSpecBuilder().inheritFrom(host).command(['x']).build();",
  read: "export const path: string | undefined = spec.env['PATH'];",
};

const DOES_NOT: Readonly<Record<string, string>> = {
  record: 'export const made: SandboxSpec = { ...spec, env: host };',
  literal: "export const made: SandboxSpec = { ...spec, env: { PATH: '/b' } };",
  process: 'export const made: SandboxSpec = { ...spec, env: process.env };',
  empty: 'export const made: SandboxEnv = {};',
  spread: "export const made: SandboxEnv = { ...filterSandboxEnv(host), GITHUB_TOKEN: 'v' };",
  copy: 'export const made: SandboxEnv = { ...filterSandboxEnv(host) };',
  assign: "export const made: SandboxEnv = Object.assign({}, { PATH: '/b' });",
  write: "filterSandboxEnv(host)['GITHUB_TOKEN'] = 'v'; export {};",
  replace: 'spec.env = filterSandboxEnv(host); export {};',
  wildcard: 'export const made: Record<string, string> = host; new SandboxSpecBuilder().env(made);',
  reasonless: "filterSandboxEnv(host, { exceptions: [{ name: 'KEYBOARD_LAYOUT' }] }); export {};",
};

function compile(snippets: Readonly<Record<string, string>>): string {
  for (const [name, code] of Object.entries(snippets)) writeFileSync(join(folder, `${name}.ts`), HEAD + code);
  const options = {
    types: ['node'],
    typeRoots: [join(ROOT, 'node_modules/@types')],
    noUnusedLocals: false,
    rewriteRelativeImportExtensions: false,
  };
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  const project = join(folder, 'tsconfig.json');
  const files = Object.keys(snippets).map((name) => `${name}.ts`);
  writeFileSync(
    project,
    JSON.stringify({ extends: join(ROOT, 'tsconfig.json'), compilerOptions: options, include: [], files }),
  );
  const { stdout, error } = spawnSync(join(ROOT, 'node_modules/.bin/tsc'), ['--pretty', 'false', '-p', project], {
    encoding: 'utf8',
  });
  if (error) throw error;
  return stdout;
}

describe('the type checker', () => {
  it('takes a filtered environment', () => {
    expect(compile(COMPILES)).toBe('');
  });

  const output = compile(DOES_NOT);
  it.each(Object.keys(DOES_NOT))('refuses: %s', (name) => {
    expect(output).toMatch(new RegExp(`${name}\\.ts\\(5,\\d+\\): error TS(2322|2339|2540|2542|2739|2740|2741):`));
  });
});
