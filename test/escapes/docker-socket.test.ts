import { existsSync, rmSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import { wayOut } from '../support/escape.ts';
import { FS_ALL } from '../support/escape-off.ts';
import { connectTo } from '../support/escape-probes.ts';
import type { Scene } from '../support/escape-scene.ts';

const SYSTEM_WIDE = '/run/docker.sock';

async function plant(scene: Scene): Promise<void> {
  await scene.listen('.docker/run/docker.sock');
  await scene.listen('daemon/docker.sock');
  if (process.getuid?.() !== 0 || existsSync(SYSTEM_WIDE)) return;
  await scene.listen(SYSTEM_WIDE);
  onTestFinished(() => rmSync(SYSTEM_WIDE, { force: true }));
}

wayOut('the socket of the Docker daemon, which is root on the host for whoever reaches it', {
  plant,
  env: ({ home }) => ({ DOCKER_HOST: `unix://${home}/daemon/docker.sock` }),
  flags: ['--allow', 'DOCKER_HOST'],
  probe: ({ home }) => ({
    python: [SYSTEM_WIDE, '/var/run/docker.sock', `${home}/.docker/run/docker.sock`, `${home}/daemon/docker.sock`]
      .map(connectTo)
      .join(''),
  }),
  off: FS_ALL,
});
