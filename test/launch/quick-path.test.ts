import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openFolder, ROOT } from '../support/project.ts';

const DIST = join(ROOT, 'dist');
/** Tells what Node has loaded of itself when the plan is made. */
const PRELOAD =
  "process.on('exit', () => require('node:fs').writeSync(2, process.moduleLoadList.join('\\n') + '\\ncode ' + process.exitCode));";
/** A shell with the arguments of a launch stands in for the native front; the plan comes back on standard output. */
const AS_FRONT = '"$NODE" $FLAGS "$SCRIPT" "$0" "$@" 3>&1 1>&2 4</dev/null; :';

let folder: string;

beforeAll(() => {
  folder = openFolder('quick-path');
  for (const name of ['home/project', 'dist']) mkdirSync(join(folder, name), { recursive: true });
  for (const [name, text] of Object.entries({
    '.bashrc': 'export EDITOR=vi\n',
    '.gitconfig': '[user]\n\tname = One\n',
  }))
    writeFileSync(join(folder, 'home', name), text);
  writeFileSync(join(folder, 'preload.cjs'), PRELOAD);
  writeFileSync(join(folder, 'package.json'), '{ "name": "cordon", "type": "module" }');
  for (const name of ['start.cjs', 'quick.cjs', 'native'])
    cpSync(join(DIST, name), join(folder, 'dist', name), { recursive: true });
  mkdirSync(join(folder, 'engine'));
  writeFileSync(join(folder, 'engine/podman'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
});

afterAll(() => rmSync(folder, { recursive: true }));

function plan(flags = '', words: readonly string[] = []) {
  const env = {
    PATH: `${join(folder, 'engine')}:/usr/bin:/bin`,
    ...{ HOME: join(folder, 'home'), CORDON_HOME: join(folder, 'home/cordon') },
    ...{ CORDON_FRONT: '3', CORDON_KEEP: '4' },
    ...{ NODE: process.execPath, FLAGS: flags, SCRIPT: join(folder, 'dist/start.cjs') },
  };
  return spawnSync('/bin/sh', ['-c', AS_FRONT, 'run', ...words, '--', 'true'], {
    ...{ cwd: join(folder, 'home/project'), env, encoding: 'utf8' },
  });
}

/** Without what differs from start to start, and what comes from homes that other launches make known meanwhile. */
const lasting = (text: string) =>
  text
    .slice(0, text.indexOf('\nend\n'))
    .split('\n')
    .filter((line) => !/^(?:launch|audit-head|keep-out|keep-read|hide) /.test(line));

describe('the launch path', () => {
  test('loads no part of Node that takes longer than the plan', () => {
    plan();
    const { stderr, stdout } = plan(`-r ${join(folder, 'preload.cjs')}`);
    expect(stdout).toContain('cordon-plan 2\n');
    expect(stderr).toContain('code 0');
    const parts = stderr.split('\n').map((line) => line.replace('NativeModule ', ''));
    expect(parts).toContain('fs');
    for (const part of ['crypto', 'stream', 'internal/fs/streams', 'internal/modules/esm/loader', 'child_process'])
      expect(parts).not.toContain(part);
  });

  test('starts the engine of a container without the whole program', () => {
    const { stderr } = plan(`-r ${join(folder, 'preload.cjs')}`, ['--in', 'podman:none']);
    expect(stderr).toContain('podman started no container');
    const parts = stderr.split('\n').map((line) => line.replace('NativeModule ', ''));
    expect(parts).toContain('child_process');
    for (const part of ['crypto', 'http', 'internal/modules/esm/loader']) expect(parts).not.toContain(part);
  });

  test('has compiled code for this Node beside it', () => {
    const script = `const { script, filename } = require('./start.cjs').load();
      console.log(filename.endsWith('/quick.cjs'), script.cachedDataRejected);`;
    expect(spawnSync(process.execPath, ['-e', script], { cwd: DIST, encoding: 'utf8' }).stdout).toBe('true false\n');
  });

  test.each([
    ['empty', () => Buffer.alloc(0)],
    ['cut short', (whole: Buffer) => whole.subarray(0, whole.length / 2)],
    ["another Node's", (whole: Buffer) => Buffer.concat([whole.subarray(0, 4), Buffer.alloc(4, 7), whole.subarray(8)])],
    ['no code at all', () => Buffer.from('made up\n'.repeat(1000))],
  ])('plans the same where that is %s', (_, changed) => {
    const cache = join(folder, 'dist/quick.cjs.cache');
    plan();
    rmSync(cache, { force: true });
    const { stdout: without } = plan();
    writeFileSync(cache, changed(readFileSync(join(DIST, 'quick.cjs.cache'))));
    const { stdout, stderr } = plan();
    expect(stderr).toBe('');
    expect(without).toContain('cordon-plan 2\n');
    expect(lasting(stdout)).toEqual(lasting(without));
  });
});
