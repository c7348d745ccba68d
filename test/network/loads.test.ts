import { buildSync, type Metafile } from 'esbuild';
import { expect, it } from 'vitest';
import { ROOT } from '../support/project.ts';

/** What is loaded with a file at once, by name or path. */
function loadedWith(entry: string, { inputs }: Metafile): Set<string> {
  const loaded = new Set([entry]);
  for (const path of loaded) {
    const now = inputs[path]?.imports.filter(({ kind }) => kind !== 'dynamic-import') ?? [];
    for (const found of now) loaded.add(found.path);
  }
  return loaded;
}

it('the process outside loads only what every connection needs: one waits while it starts', () => {
  const entry = 'src/network/main.ts';
  const { metafile } = buildSync({
    ...{ absWorkingDir: ROOT, entryPoints: [entry], bundle: true, write: false, metafile: true },
    ...{ format: 'cjs', platform: 'node', target: 'node20', logLevel: 'error' },
  });
  const loaded = [...loadedWith(entry, metafile)];
  const usual = ['dgram', 'dns', 'fs', 'net', 'os', 'path', 'stream', 'url'].map((name) => `node:${name}`);
  expect(loaded.filter((path) => path.startsWith('node:')).toSorted()).toEqual(usual);
  expect(loaded.filter((path) => path.startsWith('src/broker/'))).toEqual([]);
});
