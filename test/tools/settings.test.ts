import { readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runAs, runCordon } from '../support/cordon.ts';
import { Scene } from '../support/escape-scene.ts';
import { USERS } from '../support/users.ts';

/** A tool with the preset `guarded`, and what it sees of the home. */
function toolOf(scene: Scene) {
  const at = { user: scene.user, home: scene.home, cwd: scene.work };
  expect(runCordon(['tool', 'add', 'cat'], at).code).toBe(0);
  expect(runCordon(['tool', 'config', 'cat', 'fs', 'base', 'guarded'], at).code).toBe(0);
  const shim = join(scene.home, '.local/share/cordon/bin/cat');
  return { shim, cat: (file: string) => runAs(shim, [join(scene.home, file)], at) };
}

describe.each(USERS)('settings with log-ins, for a guarded shim of %s', (user) => {
  it('are there without the log-ins', () => {
    const scene = new Scene(user);
    scene.file(
      '.gitconfig',
      `[user]\n\tname = Ada\n[url "https://ada:${scene.canary}@example.com/"]\n\tinsteadOf = gh:\n`,
    );
    scene.file('.cargo/config.toml', `[registry]\ntoken = "${scene.canary}"\n[net]\noffline = true\n`);
    const { shim, cat } = toolOf(scene);
    expect(cat('.gitconfig').stdout).toContain('name = "Ada"');
    expect(cat('.cargo/config.toml').stdout).toContain('offline = true');
    const seen = cat('.gitconfig').stdout + cat('.cargo/config.toml').stdout + readFileSync(shim, 'utf8');
    expect(seen).not.toContain(scene.canary);
  });

  it('are looked at anew when they have changed, appeared or gone', () => {
    const scene = new Scene(user);
    const file = scene.file('.gitconfig', '[user]\n\tname = Ada\n');
    const { cat } = toolOf(scene);
    writeFileSync(file, `[user]\n\tname = Grace\n[http]\n\textraHeader = "Authorization: Bearer ${scene.canary}"\n`);
    utimesSync(file, 1, 1);
    expect(cat('.gitconfig').stdout).toContain('name = "Grace"');
    expect(cat('.gitconfig').stdout).not.toContain(scene.canary);
    scene.file('.npmrc', `registry=https://npm.example.com/\n//npm.example.com/:_authToken=${scene.canary}\n`);
    expect(cat('.npmrc').stdout).toBe('registry=https://npm.example.com/\n');
  });
});
