import { describe, expect, it } from 'vitest';
import { runCordon } from '../support/cordon.ts';
import { Scene } from '../support/escape-scene.ts';
import { USERS } from '../support/users.ts';

describe.each(USERS)('a secret in a start-up file, for %s', (user) => {
  it('is reported by explain with file, line and name, never with its value', () => {
    const scene = new Scene(user);
    scene.file('.profile', '# mine\n. ~/.bashrc\n');
    scene.file('.bashrc', `alias ll='ls -l'\n\nexport API_TOKEN=${scene.canary}\n`);
    const options = { user, home: scene.home, cwd: scene.work, env: { API_TOKEN: scene.canary } };
    const { stdout, stderr } = runCordon(['explain'], options);
    expect(stdout).toMatch(/~\/\.bashrc:3\b.*API_TOKEN/);
    expect(stdout + stderr).not.toContain(scene.canary);
  });
});
