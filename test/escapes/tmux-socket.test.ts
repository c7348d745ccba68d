import { execFileSync } from 'node:child_process';
import { onTestFinished } from 'vitest';
import { wayOut } from '../support/escape.ts';
import { FS_ALL } from '../support/escape-off.ts';
import type { Scene } from '../support/escape-scene.ts';

const nameOf = ({ canary }: Scene) => `cordon-${canary.slice(-8)}`;

/** A real server of the user's, at its usual place. */
function plant(scene: Scene): void {
  const { uid, gid, home, canary } = scene;
  const tmux = (...args: string[]) =>
    execFileSync('tmux', ['-L', nameOf(scene), '-f', '/dev/null', ...args], {
      ...{ uid, gid, cwd: home, env: { PATH: '/usr/bin:/bin', HOME: home, SECRET: canary, TERM: 'xterm' } },
    });
  tmux('new-session', '-d', 'cat');
  onTestFinished(() => void tmux('kill-server'));
}

wayOut('typing into the terminal next door, through tmux', {
  plant,
  probe: (scene) => ({ sh: `tmux -L ${nameOf(scene)} show-environment -g SECRET 2>&1` }),
  off: FS_ALL,
});
