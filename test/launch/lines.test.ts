import { describe, expect, it } from 'vitest';
import { World } from '../changes/world.ts';
import { cordonProgram, runAs } from '../support/cordon.ts';
import { USERS } from '../support/users.ts';

describe.each(USERS)('lines of the launcher, as %s', (user) => {
  it('tell that a descriptor of the shell outside is closed inside', () => {
    const world = new World(user);
    const bash = (script: string) =>
      runAs('/bin/bash', ['-c', script, cordonProgram()], { user, home: world.home, cwd: world.work });
    expect(bash('"$0" run -- cat <(echo x)').stderr).toMatch(
      /^cordon: cat: \/dev\/fd\/\d+ is your shell's, and descriptors above 2 are closed; .*cordon run -- bash -c/,
    );
    expect(bash('echo x | "$0" run -- cat /dev/fd/0')).toEqual({ code: 0, stdout: 'x\n', stderr: '' });
  });
});
