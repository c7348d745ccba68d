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

  it('say the name of a command once, which is shown by any name', () => {
    const world = new World(user);
    const program = world.put('src/rel/go', '#!/bin/sh\necho went\n', 0o755);
    for (const name of [program, '../../src/rel/go', './../../src/rel/../rel/go'])
      expect(world.cordon(['run', '--', name])).toEqual({ code: 0, stdout: 'went\n', stderr: '' });
    const hidden = world.cordon(['run', '--hide', program, '--', '../../src/rel/go']);
    expect(hidden.stderr.split('\n')).toEqual([
      expect.stringMatching(/^cordon: \.\.\/\.\.\/src\/rel\/go is hidden inside; /),
      'cordon: ../../src/rel/go: not found',
      '',
    ]);
  });
});
