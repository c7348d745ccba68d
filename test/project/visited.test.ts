import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { expect, test } from 'vitest';
import { freshHome, installedPackage, runAs } from '../support/cordon.ts';
import { ROOT } from '../support/project.ts';

/** How many files a reader of `cordon run -- env` meets. It may get less. */
/** Eight of them judge what is shown as settings, and are not gone through while nothing there has changed. */
const MOST = 43;

const ENTRY = `
import { Session } from 'node:inspector';
import { readFileSync } from 'node:fs';
import { run } from './src/cli/commands/run.ts';
import { createContext } from './src/cli/context.ts';
const session = new Session();
session.connect();
const ask = (what, options) =>
  new Promise((resolve, reject) => session.post(what, options, (error, found) => (error ? reject(error) : resolve(found))));
await ask('Profiler.enable');
await ask('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
const code = await run(['--', '/bin/true'], createContext());
const { result } = await ask('Profiler.takePreciseCoverage');
const text = readFileSync(new URL(import.meta.url), 'utf8');
const starts = [...text.matchAll(/^ *\\/\\/ (src\\/\\S+)$/gm)].map(({ 1: file, index }) => ({ file, index }));
const called = result.find(({ url }) => url === import.meta.url).functions
  // A module that is loaded later is a function of its own, by the name of its file.
  .filter(({ functionName, ranges }) => functionName !== '' && !functionName.includes('/') && ranges[0].count > 0)
  .map(({ ranges }) => starts.findLast(({ index }) => index < ranges[0].startOffset)?.file);
console.log(JSON.stringify({ code, files: [...new Set(called)].filter((file) => file !== undefined).sort() }));
`;

test('a launch goes through few files', () => {
  const bundle = join(installedPackage(), 'dist/visited.mjs');
  buildSync({
    ...{ stdin: { contents: ENTRY, resolveDir: ROOT, loader: 'ts' }, outfile: bundle, bundle: true, format: 'esm' },
    ...{ platform: 'node', target: 'node20', mainFields: ['module', 'main'], external: ['@napi-rs/keyring'] },
    logLevel: 'error',
  });
  const { stdout, stderr } = runAs(process.execPath, [bundle], { user: 'cordon-test', home: freshHome('cordon-test') });
  const { code, files } = JSON.parse(stdout || '{}') as { code?: number; files?: readonly string[] };
  expect(code, stderr).toBe(0);
  expect(files).toEqual(expect.arrayContaining(['src/decide/decide.ts', 'src/seal/seal.ts', 'src/plan/plan.ts']));
  expect(files?.length, files?.join('\n')).toBeLessThanOrEqual(MOST);
});
