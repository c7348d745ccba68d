import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { cordonProgram, installedPackage } from '../support/cordon.ts';
import { begin, ended, SHELL } from '../support/escape-run.ts';
import { Scene } from '../support/escape-scene.ts';
import { USERS, type User } from '../support/users.ts';

/** An installation in the user's own home, as `npm install -g` with a prefix makes it. */
function ownInstallation(user: User): { scene: Scene; folder: string } {
  const scene = new Scene(user);
  const folder = scene.path('.npm-global/cordon');
  scene.folder('.npm-global');
  cpSync(installedPackage(), folder, { recursive: true });
  execFileSync('chown', ['-R', `${scene.uid}:${scene.gid}`, folder]);
  return { scene, folder };
}

const REWRITE = (folder: string, canary: string) => `
for file in dist/start.cjs dist/bin/cordon bin/cordon; do echo '${canary}' >> ${folder}/$file; done
mv ${folder}/dist ${folder}/old && cp -r ${folder}/old ${folder}/dist && echo '${canary}' >> ${folder}/dist/start.cjs
echo tried`;

/** What the next launch outside would run, where the policy lets the command write around it. */
async function rewritten(program: string, { scene, folder }: ReturnType<typeof ownInstallation>): Promise<boolean> {
  const argv = [
    program,
    'run',
    '--write',
    scene.path('.npm-global'),
    '--',
    '/bin/sh',
    '-c',
    REWRITE(folder, scene.canary),
  ];
  const { stdout, stderr } = await ended(begin({ scene, env: {}, starter: SHELL }, argv));
  expect(stdout, stderr).toContain('tried');
  return ['dist/start.cjs', 'bin/cordon'].some((file) =>
    readFileSync(`${folder}/${file}`, 'latin1').includes(scene.canary),
  );
}

it.each(USERS)('a command cannot rewrite the Cordon that started it, for %s', async (user) => {
  const own = ownInstallation(user);
  expect(await rewritten(`${own.folder}/bin/cordon`, own)).toBe(false);
});

it.each(USERS)('it can rewrite one that is not the one running, for %s', async (user) => {
  expect(await rewritten(cordonProgram(), ownInstallation(user))).toBe(true);
});
