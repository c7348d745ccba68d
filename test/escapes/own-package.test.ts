import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { installedPackage } from '../support/cordon.ts';
import { begin, ended } from '../support/escape-run.ts';
import { Scene } from '../support/escape-scene.ts';
import { ROOT } from '../support/project.ts';
import { USERS, type User } from '../support/users.ts';

const KEYRING = 'node_modules/@napi-rs/keyring/index.js';

/** Ways to have Cordon in one's own home, and what of it runs outside at the next start or the next set-up. */
const INSTALLATIONS = {
  'an installation with a prefix of the user': {
    folder: '.npm-global/lib/node_modules/cordon',
    parts: [],
    files: ['package.json', 'bin/cordon', 'dist/start.cjs', KEYRING],
    absent: ['node_modules/keyring/index.js', 'dist/native/libc.so'],
  },
  'a checkout': {
    folder: 'code/cordon',
    parts: ['scripts/run', 'scripts/set-up', 'src/index.ts', 'native/build.sh'],
    files: ['package.json', 'scripts/run', 'scripts/set-up', 'src/index.ts', 'native/build.sh', 'bin/cordon', KEYRING],
    absent: ['node_modules/.bin/esbuild', '.npmrc', 'scripts/evil'],
  },
} as const;

type Installation = (typeof INSTALLATIONS)[keyof typeof INSTALLATIONS];

function installed(scene: Scene, { folder, parts }: Installation): string {
  const at = scene.path(folder);
  scene.folder(dirname(folder));
  cpSync(installedPackage(), at, { recursive: true });
  for (const part of parts) cpSync(join(ROOT, part), join(at, part), { recursive: true });
  scene.file(join(folder, KEYRING), 'module.exports = {};\n');
  execFileSync('chown', ['-R', `${scene.uid}:${scene.gid}`, at]);
  return at;
}

/** Appending, and putting something else in the place of each folder and of the whole. */
function rewrite(at: string, places: readonly string[], canary: string): string {
  const write = places
    .map((place) => `mkdir -p ${at}/${dirname(place)}; echo '${canary}' >> ${at}/${place}`)
    .join('\n');
  return `${write}
for part in dist bin scripts src node_modules; do mv ${at}/$part ${at}/$part.old; done
${write}
mv ${at} ${at}.old
${write}
echo tried`;
}

/** What the next start outside would run. */
async function rewritten(user: User, kind: Installation, start: (at: string) => readonly string[]): Promise<string[]> {
  const scene = new Scene(user);
  const at = installed(scene, kind);
  const places = [...kind.files, ...kind.absent];
  const argv = [...start(at), '/bin/sh', '-c', rewrite(at, places, scene.canary)];
  const { stdout, stderr } = await ended(begin({ scene, env: {}, starter: [] }, argv));
  expect(stdout, stderr).toContain('tried');
  const holds = (path: string) => existsSync(path) && readFileSync(path, 'latin1').includes(scene.canary);
  return places.filter((place) => holds(join(at, place)));
}

describe.each(USERS)('the package that Cordon runs from, for %s', (user) => {
  const kinds = Object.entries(INSTALLATIONS);

  describe.each(['all', 'guarded'])('with the preset %s', (preset) => {
    it.each(kinds)('cannot be rewritten by a command: %s', async (_, kind) => {
      const start = (at: string) => [`${at}/bin/cordon`, 'run', '--fs', preset, '--'];
      expect(await rewritten(user, kind, start)).toEqual([]);
    });
  });

  it.each(kinds)('could be without Cordon: %s', async (_, kind) => {
    expect(await rewritten(user, kind, () => [])).toEqual([...kind.files, ...kind.absent]);
  });
});
