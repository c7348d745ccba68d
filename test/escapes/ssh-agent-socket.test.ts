import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { wayOut } from '../support/escape.ts';
import { FS_ALL } from '../support/escape-off.ts';
import { connectTo } from '../support/escape-probes.ts';
import type { Scene } from '../support/escape-scene.ts';

const sockets = new WeakMap<Scene, string>();

/** Where OpenSSH itself puts it. */
async function plant(scene: Scene): Promise<void> {
  const folder = scene.own(mkdtempSync('/tmp/ssh-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  sockets.set(scene, join(folder, 'agent.1'));
  await scene.listen(join(folder, 'agent.1'));
  await scene.listen('agents/elsewhere.sock');
}

// The variable may pass by name: the socket stays out of reach all the same.
wayOut('the socket of the SSH agent, at its usual place and where SSH_AUTH_SOCK says', {
  plant,
  env: ({ home }) => ({ SSH_AUTH_SOCK: `${home}/agents/elsewhere.sock` }),
  flags: ['--allow', 'SSH_AUTH_SOCK'],
  probe: (scene) => ({
    python: connectTo(sockets.get(scene) ?? '') + connectTo(`${scene.home}/agents/elsewhere.sock`),
  }),
  off: FS_ALL,
});
