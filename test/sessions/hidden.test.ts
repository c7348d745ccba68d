import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { USERS } from '../support/users.ts';
import { inMain, put, scene } from './support.ts';

const bash = (command: string, more: string) =>
  `const s = await open(${more}); const r = show(await s.bash(${JSON.stringify(command)})); await s.close(); return r;`;

describe.each(USERS)('what is hidden or kept in the folders of a session of %s', (user) => {
  it('is so where they appear', async () => {
    const here = scene(user);
    for (const name of ['key', 'gh/hosts.yml']) put(here, `work/${name}`, 'canary\n');
    put(here, 'work/open', 'open\n');
    put(here, 'skills/tidy/SKILL.md', '# Tidy\n');
    put(here, 'skills/tidy/token', 'canary\n');
    const profile = put(
      here,
      'work/profile.json',
      JSON.stringify({ filesystem: { hide: [join(here.skills, 'tidy/token')] } }),
    );
    const env = `{ ...env, AWS_SHARED_CREDENTIALS_FILE: scene.workspace + '/key', XDG_CONFIG_HOME: scene.workspace }`;
    const script = `cat key gh/hosts.yml open /skills/tidy/*; for name in profile.json key; do
      echo x >$name; mv $name other; done; echo new >new`;
    const options = `{ env: ${env}, skills: [scene.skills], profile: ${JSON.stringify(profile)} }`;
    const { stdout, stderr } = await inMain(here, bash(script, options));
    expect(stdout).toBe('open\n# Tidy\n');
    for (const name of ['key', 'gh/hosts.yml', '/skills/tidy/token'])
      expect(stderr).toContain(`${name}: Permission denied`);
    expect(stderr).toContain('profile.json: Read-only file system');
    expect(readFileSync(profile, 'utf8')).toContain('hide');
    expect(readFileSync(join(here.workspace, 'new'), 'utf8')).toBe('new\n');
  });
});
