// A project with a handful of packages, which lie in npm's cache: packed from those of this checkout, so nothing is fetched.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EVERYDAY, put } from '../home.mjs';

const modules = fileURLToPath(new URL('../../node_modules', import.meta.url));
const PACKAGES = ['ajv', 'fast-deep-equal', 'fast-uri', 'json-schema-traverse', 'require-from-string', 'ms', 'yaml'];

const npm = (folder, ...words) =>
  execFileSync('npm', [...words, '--offline', '--ignore-scripts', '--silent'], {
    ...{ cwd: folder, env: EVERYDAY },
    stdio: ['ignore', 'ignore', 'inherit'],
  });

function packed(folder, name) {
  const { version } = JSON.parse(readFileSync(join(modules, name, 'package.json'), 'utf8'));
  const file = join(folder, `${name}-${version}.tgz`);
  const integrity = `sha512-${createHash('sha512').update(readFileSync(file)).digest('base64')}`;
  const resolved = `https://registry.npmjs.org/${name}/-/${name}-${version}.tgz`;
  return { name, file, lock: { version, resolved, integrity } };
}

/** The words after `npm`, for a project that is made in this folder. */
export function offlineProject(project, folder) {
  mkdirSync(folder, { recursive: true });
  npm(folder, 'pack', ...PACKAGES.map((name) => join(modules, name)));
  const all = PACKAGES.map((name) => packed(folder, name));
  npm(folder, 'cache', 'add', ...all.map(({ file }) => file));
  const dependencies = Object.fromEntries(all.map(({ name, lock }) => [name, lock.version]));
  const root = { name: 'small', version: '1.0.0', dependencies };
  const packages = { '': root, ...Object.fromEntries(all.map(({ name, lock }) => [`node_modules/${name}`, lock])) };
  put(join(project, 'package.json'), JSON.stringify(root));
  put(join(project, 'package-lock.json'), JSON.stringify({ ...root, lockfileVersion: 3, requires: true, packages }));
  return ['ci', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', '--no-update-notifier', '--silent'];
}
