import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { transformSync } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { runAs } from '../support/cordon.ts';
import { ROOT } from '../support/project.ts';
import { type Block, blocksOf, PAGES } from './docs-blocks.ts';
import { openScene, READER, type Scene } from './docs-scene.ts';

const BLOCKS = PAGES.flatMap(blocksOf)
  .filter(({ language }) => ['ts', 'js'].includes(language))
  .map((block) => ({ block, name: `${block.page}:${block.line}` }));

/** As a reader would have it in a project of their own: JavaScript is held to the types too. */
function written({ text }: Block, { home, place }: Scene): string {
  writeFileSync(join(home, 'package.json'), '{ "type": "module" }');
  const file = join(home, 'use.ts');
  writeFileSync(file, place(text));
  return file;
}

function problemsOf(file: string, { home }: Scene): string {
  const options = [
    '--strict',
    '--noEmit',
    '--module',
    'nodenext',
    '--target',
    'es2023',
    '--types',
    'node',
    '--skipLibCheck',
  ];
  const tsc = join(ROOT, 'node_modules', '.bin', 'tsc');
  return spawnSync(tsc, [...options, file], { cwd: home, encoding: 'utf8' }).stdout;
}

function run({ text }: Block, scene: Scene) {
  const { code } = transformSync(scene.place(text), { loader: 'ts', format: 'esm', target: 'node20' });
  const file = join(scene.home, 'use.mjs');
  writeFileSync(file, code);
  return runAs('timeout', ['100', process.execPath, file], { user: READER, ...scene });
}

describe('every program in the pages', () => {
  it('is there to be tried', () => expect(BLOCKS.length).toBeGreaterThan(6));

  it.each(BLOCKS)('$name has the types it needs, and runs', ({ block }) => {
    const scene = openScene(block.notes.get('needs')?.split(' ') ?? []);
    writeFileSync(
      join(scene.cwd, 'sandbox-allowlist.json'),
      '{ "addToAllowlist": ["CI", "KEYBOARD_LAYOUT"], "exceptions": [{ "name": "KEYBOARD_LAYOUT", "reason": "layout" }] }',
    );
    expect(problemsOf(written(block, scene), scene)).toBe('');
    expect(run(block, scene)).toMatchObject({ code: 0, stderr: '' });
  });
});
