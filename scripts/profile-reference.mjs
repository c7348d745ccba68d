// Writes docs/reference/profile.md and profile.schema.json from what the built program says of itself: run scripts/build.mjs before.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { referenceOf } from './lib/profile-reference.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, 'docs', 'reference');
const schema = execFileSync(process.execPath, [join(root, 'dist', 'cli.js'), 'profile', 'schema'], {
  encoding: 'utf8',
});

mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, 'profile.schema.json'), schema);
writeFileSync(join(folder, 'profile.md'), referenceOf(JSON.parse(schema)));
execFileSync(join(root, 'node_modules', '.bin', 'biome'), ['format', '--write', folder], { stdio: 'ignore' });
