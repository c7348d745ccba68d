import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../support/project.ts';

interface LockedPackage {
  readonly resolved?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const text = readFileSync(join(ROOT, 'package-lock.json'), 'utf8');
const { packages } = JSON.parse(text) as { packages: Record<string, LockedPackage> };
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Record<
  string,
  Record<string, string> | undefined
>;

test('the lock file names no registry', () => {
  expect(Object.values(packages).filter(({ resolved }) => resolved !== undefined)).toEqual([]);
});

test('the lock file has the packages of every platform', () => {
  const wanted = Object.values(packages).flatMap(({ optionalDependencies = {} }) => Object.keys(optionalDependencies));
  expect(wanted.length).toBeGreaterThan(20);
  expect(wanted.filter((name) => packages[`node_modules/${name}`] === undefined)).toEqual([]);
});

test('every dependency has its reason in docs/dependencies.md', () => {
  const reasons = readFileSync(join(ROOT, 'docs', 'dependencies.md'), 'utf8');
  const names = ['dependencies', 'devDependencies', 'optionalDependencies'].flatMap((kind) =>
    Object.keys(manifest[kind] ?? {}),
  );
  expect(names.filter((name) => !reasons.includes(`| \`${name}\` |`))).toEqual([]);
});

test('everything is bundled: nothing has to be installed beside the package', () => {
  expect(manifest.dependencies ?? {}).toEqual({});
});
