import { chmodSync, chownSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCordon } from '../support/cordon.ts';
import { Scene } from '../support/escape-scene.ts';
import { USERS } from '../support/users.ts';

const POLICY = '{ "environment": { "allow_vars": ["API_TOKEN"] } }';

/** What comes out when this is the policy: the token, when it was believed. */
function launched(scene: Scene, profile: string): { code: number | null; stdout: string; stderr: string } {
  return runCordon(['run', '--profile', profile, '--', '/bin/sh', '-c', 'echo "$API_TOKEN"'], {
    ...{ user: scene.user, home: scene.home, cwd: scene.work, env: { API_TOKEN: scene.canary } },
  });
}

describe.each(USERS)('a policy file, for %s', (user) => {
  it('is believed when only its owner can write it', () => {
    const scene = new Scene(user);
    const { stdout, stderr } = launched(scene, scene.file('policies/mine.json', POLICY));
    expect(stdout, stderr).toContain(scene.canary);
  });

  it.each([
    ['the group can write', (path: string) => chmodSync(path, 0o664)],
    ['anyone can write', (path: string) => chmodSync(path, 0o646)],
    ['belongs to someone else', (path: string) => chownSync(path, 4711, 4711)],
    ['lies in a folder that anyone can write', (path: string) => chmodSync(dirname(path), 0o777)],
    ['lies in a folder of someone else', (path: string) => chownSync(dirname(path), 4711, 4711)],
  ])('that %s is refused', (_, spoil) => {
    const scene = new Scene(user);
    const path = scene.file('policies/mine.json', POLICY, 0o644);
    spoil(path);
    const { code, stdout, stderr } = launched(scene, path);
    expect({ code, stdout }).toEqual({ code: 125, stdout: '' });
    expect(stderr).toContain('another user could have written this file');
  });

  it('in the working folder is not picked up by itself', () => {
    const scene = new Scene(user);
    for (const name of ['cordon.toml', 'cordon.json', '.cordon/profiles/default.json', 'profiles/default.json'])
      scene.file(join('work', name), POLICY);
    expect(
      runCordon(['run', '--', '/bin/sh', '-c', 'echo "<$API_TOKEN>"'], {
        ...{ user, home: scene.home, cwd: scene.work, env: { API_TOKEN: scene.canary } },
      }).stdout,
    ).toBe('<>\n');
  });
});
