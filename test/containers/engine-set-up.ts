import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  export interface ProvidedContext {
    engine: string;
  }
}

const TOOLS = [
  'sh',
  'ls',
  'cat',
  'env',
  'id',
  'sleep',
  'grep',
  'ps',
  'kill',
  'touch',
  'true',
  'tty',
  'ip',
  'echo',
  'mkdir',
  'find',
  'nc',
  'tr',
];

/** Storage, an image of nothing but busybox, and a daemon of our own: nothing of the machine's engine is touched. */
export default function setUp(project: TestProject): () => void {
  if (process.getuid?.() !== 0) throw new Error('containers are started by root here; .ci/containers runs as root');
  const folder = mkdtempSync(join(tmpdir(), 'cordon-engine-'));
  chmodSync(folder, 0o755);
  settle(folder);
  const env = { ...process.env, ...engineEnv(folder) };
  importImage(folder, env);
  const socket = join(folder, 'podman.sock');
  const service = spawn('podman', ['system', 'service', '--time', '0', `unix://${socket}`], { env, stdio: 'ignore' });
  awaitFile(socket);
  chmodSync(socket, 0o666);
  project.provide('engine', folder);
  return () => {
    service.kill();
    execFileSync('podman', ['rm', '--all', '--force', '--time', '0'], { env, stdio: 'ignore' });
    execFileSync('podman', ['rmi', '--all', '--force'], { env, stdio: 'ignore' });
    rmSync(folder, { recursive: true, force: true });
  };
}

export const engineEnv = (folder: string) => ({
  CONTAINERS_STORAGE_CONF: join(folder, 'storage.conf'),
  CONTAINERS_CONF: join(folder, 'containers.conf'),
  DOCKER_HOST: `unix://${join(folder, 'podman.sock')}`,
});

/** Limits as low as the machine's own: raising them needs what a test machine may not have. */
function settle(folder: string): void {
  writeFileSync(
    join(folder, 'storage.conf'),
    `[storage]\ndriver = "vfs"\ngraphroot = "${folder}/graph"\nrunroot = "${folder}/run"\n`,
  );
  const runtime = existsSync('/sys/fs/cgroup/cgroup.controllers') ? '' : 'runtime = "runc"\n';
  writeFileSync(
    join(folder, 'containers.conf'),
    `[containers]\ndefault_ulimits = ["nofile=1024:1024", "nproc=2048:2048"]\n` +
      `[engine]\n${runtime}cgroup_manager = "cgroupfs"\nevents_logger = "file"\n`,
  );
}

function importImage(folder: string, env: NodeJS.ProcessEnv): void {
  const root = join(folder, 'root');
  for (const name of ['bin', 'etc', 'root', 'usr/bin']) mkdirSync(join(root, name), { recursive: true });
  copyFileSync('/bin/busybox', join(root, 'bin/busybox'));
  for (const tool of TOOLS) symlinkSync('busybox', join(root, 'bin', tool));
  writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0:root:/root:/bin/sh\n');
  // An agent that only tells what it was given.
  writeFileSync(join(root, 'bin/goose'), '#!/bin/sh\necho "agent got: $(cat)"\nenv\n', { mode: 0o755 });
  // Sessions start bash.
  writeFileSync(join(root, 'bin/bash'), '#!/bin/sh\nexec sh "$@"\n', { mode: 0o755 });
  writeFileSync(join(root, 'bin/unusable'), 'no program\n', { mode: 0o644 });
  const changes = [
    'ENV PATH=/bin:/usr/bin',
    'ENV IMAGE_TOKEN=of-the-image',
    'ENV LANG=C.UTF-8',
    'ENV LD_PRELOAD=/x.so',
  ];
  const tar = join(folder, 'root.tar');
  execFileSync('tar', ['-C', root, '-cf', tar, '.']);
  chmodSync(tar, 0o644);
  execFileSync('podman', ['import', '--quiet', ...changes.flatMap((line) => ['-c', line]), tar, 'localhost/small'], {
    env,
    stdio: 'ignore',
  });
}

function awaitFile(path: string): void {
  execFileSync('sh', ['-c', 'for i in $(seq 200); do [ -S "$0" ] && exit 0; sleep 0.1; done; exit 1', path]);
}
