import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { cordonProgram } from '../support/cordon.ts';
import { begin, ended } from '../support/escape-run.ts';
import { Scene } from '../support/escape-scene.ts';
import { USERS, type User } from '../support/users.ts';

const POLICY = '{ "environment": { "allow_vars": ["HOME"] } }';

/** Files that a launch takes its policy from, below the workspace: the one that is named, and those it names in turn. */
const FILES = ['mine.json', 'policies/base.json', 'policies/more/deep.json'];

function write(scene: Scene): void {
  scene.file('work/mine.json', '{ "extends": ["./policies/base.json"], "environment": { "allow_vars": ["HOME"] } }');
  scene.file('work/policies/base.json', '{ "extends": ["./more/deep.json"] }');
  scene.file('work/policies/more/deep.json', POLICY);
}

const REWRITE = (canary: string) => `
${FILES.map((file) => `echo '${canary}' >> ${file}; echo '${canary}' > new; mv -f new ${file}`).join('\n')}
mv policies old && cp -r old policies && echo '${canary}' >> policies/base.json
mv policies/more policies/old && cp -r policies/old policies/more && echo '${canary}' >> policies/more/deep.json
cd .. && mv work work.old && cp -r work.old work && echo '${canary}' >> work/mine.json
echo tried`;

/** What the next launch with the same words would be held by. */
async function rewritten(user: User, start: readonly string[]): Promise<string[]> {
  const scene = new Scene(user);
  write(scene);
  const argv = [...start, '/bin/sh', '-c', REWRITE(scene.canary)];
  const { stdout, stderr } = await ended(begin({ scene, env: {}, starter: [] }, argv));
  expect(stdout, stderr).toContain('tried');
  return FILES.filter((file) => readFileSync(`${scene.work}/${file}`, 'utf8').includes(scene.canary));
}

describe.each(USERS)('a profile in the workspace that is given by its path, for %s', (user) => {
  it.each(['all', 'guarded', 'workspace'])(
    'cannot be rewritten by the command it holds, with the preset %s',
    async (preset) => {
      const start = [cordonProgram(), 'run', '--profile', './mine.json', '--fs', preset, '--'];
      expect(await rewritten(user, start)).toEqual([]);
    },
  );

  it('could be without Cordon', async () => {
    expect(await rewritten(user, [])).toEqual(FILES);
  });
});
