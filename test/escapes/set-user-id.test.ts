import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { wayOut } from '../support/escape.ts';
import { FILTER } from '../support/escape-off.ts';
import type { Scene } from '../support/escape-scene.ts';

const OTHER = 'cordon-test';

/** A program that runs as another user wherever that works: sudo and su are of that kind. */
function plant({ home, uid }: Scene): void {
  const program = join(home, 'other-identity');
  copyFileSync('/usr/bin/id', program);
  const owner = uid === 0 ? Number(execFileSync('id', ['-u', OTHER], { encoding: 'utf8' })) : 0;
  if (process.getuid?.() === 0) execFileSync('chown', [String(owner), program]);
  chmodSync(program, 0o6755);
}

wayOut('becoming another user with a set-user-ID program', {
  plant,
  probe: ({ home }) => ({
    sh: `${home}/other-identity | grep euid= && echo LEAKED; grep 'NoNewPrivs:.0' /proc/self/status && echo LEAKED`,
  }),
  off: FILTER,
});
