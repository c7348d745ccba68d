import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { BOX, OTHER, PORT, sshStage } from '../broker/ssh-stage.ts';
import { openFolder } from '../support/project.ts';
import type { User } from '../support/users.ts';
import { filesWith, inspected } from './leaks.ts';
import { ENGINE_FOLDER, eventually, podman, rootless, Scene } from './scene.ts';

/** With OpenSSH's client in it. */
const SSH = 'localhost/ssh';
const PROGRAMS = ['/usr/bin/ssh', '/usr/bin/ssh-add'];

let tar: string;

beforeAll(() => {
  const root = join(realpathSync(openFolder('ssh')), 'root');
  cpSync(join(ENGINE_FOLDER(), 'root'), root, { recursive: true, verbatimSymlinks: true });
  const libraries = PROGRAMS.flatMap((path) => execFileSync('ldd', [path], { encoding: 'utf8' }).match(/\/\S+/g) ?? []);
  for (const path of new Set([...PROGRAMS, ...libraries])) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    copyFileSync(realpathSync(path), join(root, path));
  }
  tar = join(root, '..', 'ssh.tar');
  execFileSync('tar', ['-C', root, '-cf', tar, '.']);
  podman('import', '--quiet', '-c', 'ENV PATH=/bin:/usr/bin', tar, SSH);
});

const WAYS: readonly (readonly [User, 'podman' | 'docker', (scene: Scene) => Record<string, string>])[] = [
  ['root', 'podman', () => ({})],
  ['root', 'docker', () => ({})],
  ['cordon-test', 'podman', (scene) => rootless(scene, tar, SSH)],
];

const LOGIN = `PATH=/bin:/usr/bin; ssh() { command ssh -F none -p ${PORT} -o BatchMode=yes -o UserKnownHostsFile=known_hosts -o IdentityFile=none "$@"; }`;

describe.each(WAYS)('ssh keys that are brokered, as %s through %s', (user, engine, engineOf) => {
  it('log in to the host that they are for, and nothing of them is inside', async () => {
    const scene = new Scene(user);
    const { env, net, keys, path } = await sshStage(scene.home, user);
    copyFileSync(path('known_hosts'), join(scene.project, 'known_hosts'));
    const script = `${LOGIN}
      ssh-add -l | cut -d' ' -f2
      ssh ${BOX} echo logged in
      ssh ${OTHER} echo logged in elsewhere || echo refused
      ls ~/.ssh 2>/dev/null; echo ready; cat`;
    const words = ['run', '--broker', `ssh:work key@${BOX}:${PORT}`, ...net, '--in', `${engine}:${SSH}`];
    const ran = scene.start([...words, '--', 'sh', '-c', script], { ...engineOf(scene), ...env });
    await eventually(() => expect(ran.said()).toContain('ready\n'));
    for (const text of [env.SSH_AUTH_SOCK as string, readFileSync(path('work'), 'utf8').split('\n')[2] as string]) {
      expect(inspected(text)).toBe(false);
      expect(filesWith(text)).toEqual([]);
    }
    ran.child.stdin.end();
    expect(await ran.ended, await ran.errors).toBe(0);
    expect(ran.said().split('\n'), await ran.errors).toEqual([keys.work, 'logged in', 'refused', 'ready', '']);
    const told = JSON.parse(scene.run(['net', 'log', '--json']).stdout) as { via?: string }[];
    expect(told.filter(({ via }) => via === 'broker')).toMatchObject([
      { name: BOX, port: PORT, verdict: 'allowed', credentials: ['ssh:work key'] },
      { verdict: 'refused', rule: 'host' },
    ]);
  });
});
