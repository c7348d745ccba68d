import { describe, expect, it } from 'vitest';
import { cordonProgram } from '../support/cordon.ts';
import { begin, ended } from '../support/escape-run.ts';
import { Scene } from '../support/escape-scene.ts';
import { USERS } from '../support/users.ts';

/** A place that a policy shows or lets be written, and how a command is started under that policy. */
interface Shown {
  readonly how: string;
  /** Below the home. */
  readonly place: string;
  readonly prepare?: (scene: Scene) => unknown;
  readonly start: (scene: Scene, script: string) => readonly string[];
}

const run =
  (...flags: readonly string[]) =>
  (_: Scene, script: string) => [cordonProgram(), 'run', ...flags, '--', '/bin/sh', '-c', script];

const profile = (filesystem: object) => ({
  prepare: (scene: Scene) => {
    scene.folder('data');
    scene.file('policies/mine.json', JSON.stringify({ environment: { allow_vars: ['HOME'] }, filesystem }));
  },
  start: (scene: Scene, script: string) => run('--profile', scene.path('policies/mine.json'))(scene, script),
});

const SHOWN: readonly Shown[] = [
  {
    how: 'an agent',
    place: '.claude.json',
    prepare: (s) => s.file('.claude.json', '{}\n'),
    start: run('--agent', 'claude'),
  },
  {
    how: 'an agent, as a folder',
    place: '.claude',
    prepare: (s) => s.folder('.claude'),
    start: run('--agent', 'claude'),
  },
  {
    how: '--expose with the preset workspace',
    place: 'work/data',
    prepare: (scene) => scene.folder('work/data'),
    start: run('--fs', 'workspace', '--expose', './data'),
  },
  {
    how: '--expose',
    place: 'data',
    prepare: (s) => s.folder('data'),
    start: (s, script) => run('--expose', s.path('data'))(s, script),
  },
  { how: 'a profile that allows it', place: 'data', ...profile({ preset: 'guarded', allow: ['~/data'] }) },
  { how: 'a profile that exposes it', place: 'data', ...profile({ preset: 'guarded', expose: ['~/data'] }) },
  {
    how: 'a tool that may write it',
    place: 'data',
    prepare: async (scene) => {
      scene.folder('data');
      const tool = (...words: string[]) => scene.command([cordonProgram(), 'tool', 'config', 'sh', 'fs', ...words]);
      await tool('base', 'guarded');
      await tool('rw', scene.path('data'));
    },
    start: (scene, script) => [scene.path('.local/share/cordon/bin/sh'), '-c', script],
  },
];

/** One command puts a link to the keys in the place of what is shown; the next one looks there. */
async function keyReadBy(scene: Scene, { place, prepare }: Shown, start: Shown['start']): Promise<string> {
  scene.file('.ssh/id_rsa');
  await prepare?.(scene);
  const { home } = scene;
  const at = `${home}/${place}`;
  const said = async (script: string) => ended(begin({ scene, env: {}, starter: [] }, start(scene, script)));
  const first = await said(`rm -rf ${at}; mv ${at} ${at}.old; ln -s ${home}/.ssh ${at}; echo tried`);
  expect(first.stdout, first.stderr).toContain('tried');
  const next = await said(`cat ${at}/id_rsa ${at}; echo looked`);
  // It may well refuse to start, and then says what stands in the way.
  const told = next.stdout.includes('looked') || next.stderr.includes(at);
  expect(told, next.stderr).toBe(true);
  return next.stdout;
}

describe.each(USERS)('what a policy shows, replaced by a link from inside, for %s', (user) => {
  it.each(SHOWN.map((shown) => [shown.how, shown] as const))(
    'is not followed by the next launch: %s',
    async (_, shown) => {
      const scene = new Scene(user);
      expect(await keyReadBy(scene, shown, shown.start)).not.toContain(scene.canary);
    },
  );

  it.each(SHOWN.map((shown) => [shown.how, shown] as const))('would be without Cordon: %s', async (_, shown) => {
    const scene = new Scene(user);
    expect(await keyReadBy(scene, shown, (__, script) => ['/bin/sh', '-c', script])).toContain(scene.canary);
  });
});
