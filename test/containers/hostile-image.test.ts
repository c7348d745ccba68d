import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openFolder } from '../support/project.ts';
import { identityOf } from '../support/users.ts';
import { ENGINE_FOLDER, eventually, IMAGE, podman, rootless, Scene } from './scene.ts';

interface Hostile {
  readonly links?: Readonly<Record<string, string>>;
  /** Programs of the image: scripts. */
  readonly programs?: Readonly<Record<string, string>>;
  /** Lines of its Dockerfile, as far as import takes them. */
  readonly lines?: readonly string[];
}

/** The tests' image with more in it, as a file that can be imported. */
function packed({ links = {}, programs = {} }: Hostile): string {
  const folder = openFolder('hostile');
  const root = join(folder, 'root');
  cpSync(join(ENGINE_FOLDER(), 'root'), root, { recursive: true, verbatimSymlinks: true });
  const put = (path: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    return join(root, path);
  };
  for (const [path, target] of Object.entries(links)) symlinkSync(target, put(path));
  for (const [path, text] of Object.entries(programs)) writeFileSync(put(path), text, { mode: 0o755 });
  const tar = join(folder, 'root.tar');
  execFileSync('tar', ['-C', root, '-cf', tar, '.']);
  chmodSync(tar, 0o644);
  return tar;
}

const importing = (tar: string, name: string, lines: readonly string[] = []) => [
  ...['import', '--quiet', '-c', 'ENV PATH=/bin', ...lines.flatMap((line) => ['-c', line]), tar, name],
];

function imported(name: string, hostile: Hostile): string {
  const image = `localhost/${name}`;
  expect(podman(...importing(packed(hostile), image, hostile.lines))).toMatchObject({ status: 0 });
  onTestFinished(() => {
    podman('rmi', '--force', image);
  });
  return image;
}

const IMPOSTOR = '#!/bin/sh\necho impostor\n';
/** Where the launcher was mounted for everybody once: any name that an image can know. */
const KNOWN = '/.cordon/cordon-launch';
const THROUGH_VOLUME = {
  links: { [KNOWN]: '/a/b/c/d/launch' },
  programs: { '/a/b/c/d/launch': IMPOSTOR },
  lines: ['VOLUME /a/b/c/d'],
};

describe('an image that wants to be the launcher', () => {
  it('is not it through a volume that lies over where the launcher is mounted', () => {
    const image = imported('volume', THROUGH_VOLUME);
    const { stdout, status } = new Scene().run([
      'run',
      '--net',
      'off',
      '--in',
      `podman:${image}`,
      '--',
      'echo',
      'real',
    ]);
    expect({ stdout, status }).toEqual({ stdout: 'real\n', status: 0 });
  });

  it('is not it for rootless podman', () => {
    const scene = new Scene('cordon-test');
    const env = rootless(scene);
    const { uid, gid } = identityOf('cordon-test');
    const words = importing(packed(THROUGH_VOLUME), 'localhost/volume', THROUGH_VOLUME.lines);
    execFileSync('podman', words, { env: scene.env(env), cwd: scene.home, uid, gid, stdio: 'ignore' });
    const command = ['run', '--net', 'off', '--in', 'podman:localhost/volume', '--', 'echo', 'real'];
    expect(scene.run(command, { env })).toMatchObject({ stdout: 'real\n', status: 0 });
  });

  it.each(['podman', 'docker'])('is not it through a program that lies in the workspace, with %s', (engine) => {
    const scene = new Scene();
    writeFileSync(join(scene.project, 'planted'), IMPOSTOR, { mode: 0o755 });
    const image = imported('planted', { links: { [KNOWN]: join(scene.project, 'planted') } });
    const ran = scene.run(['run', '--net', 'off', '--in', `${engine}:${image}`, '--', 'echo', 'real']);
    expect(ran).toMatchObject({ stdout: 'real\n', status: 0 });
    expect(readFileSync(join(scene.project, 'planted'), 'utf8')).toBe(IMPOSTOR);
  });

  it('finds the launcher below another name each time, directly below the root', async () => {
    const names = new Set<string>();
    for (const engine of ['podman', 'docker']) {
      const ran = new Scene().start([
        'run',
        '--net',
        'off',
        '--in',
        `${engine}:${IMAGE}`,
        '--',
        'sh',
        '-c',
        'echo ready; sleep 4716',
      ]);
      await eventually(() => expect(ran.said()).toContain('ready'));
      const [id = ''] = podman('ps', '--quiet').stdout.split('\n');
      const [{ Config }] = JSON.parse(podman('inspect', id).stdout);
      const [, name = ''] = /(\/[^/ "]+)\/cordon-launch/.exec(JSON.stringify(Config.Entrypoint)) ?? [];
      expect(name).toMatch(/^\/\.cordon-[0-9a-f]{32}$/);
      names.add(name);
      ran.child.kill('SIGTERM');
      await ran.ended;
      await eventually(() => expect(podman('ps', '--all', '--quiet').stdout).toBe(''));
    }
    expect(names.size).toBe(2);
  });
});

describe('volumes of an image', () => {
  it('are left out by podman, and docker gets no command for such an image', () => {
    const image = imported('volumes', { programs: { '/data/own': 'of the image' }, lines: ['VOLUME /data'] });
    const script = 'cat /data/own; touch /data/new 2>/dev/null || echo " held"';
    const run = (engine: string) =>
      new Scene().run(['run', '--net', 'off', '--in', `${engine}:${image}`, '--', 'sh', '-c', script]);
    expect(run('podman')).toMatchObject({ stdout: 'of the image held\n', status: 0 });
    expect(run('docker')).toMatchObject({
      stdout: '',
      status: 125,
      stderr: expect.stringContaining('the image brings volumes, which may cover what is shown inside: "/data"'),
    });
  });
});

describe('the health check of an image', () => {
  it.each(['podman', 'docker'])('is off with %s: it would run beside the barrier', async (engine) => {
    const folder = openFolder('health');
    writeFileSync(join(folder, 'Dockerfile'), `FROM ${IMAGE}\nHEALTHCHECK --interval=1s CMD touch /tmp/checked\n`);
    const image = 'localhost/health';
    const built = podman('build', '--quiet', '--format', 'docker', '--network', 'none', '--tag', image, folder);
    expect(built).toMatchObject({ status: 0 });
    onTestFinished(() => {
      podman('rmi', '--force', image);
    });
    expect(podman('image', 'inspect', image).stdout).toContain('touch /tmp/checked');
    const ran = new Scene().start([
      'run',
      '--net',
      'off',
      '--in',
      `${engine}:${image}`,
      '--',
      'sh',
      '-c',
      'echo ready; sleep 4717',
    ]);
    await eventually(() => expect(ran.said()).toContain('ready'));
    const [id = ''] = podman('ps', '--quiet').stdout.split('\n');
    const told = podman('inspect', '--format', '{{json .Config.Healthcheck}}', id).stdout;
    ran.child.kill('SIGTERM');
    await ran.ended;
    expect(told).toMatch(/^(null|\{"Test":\["NONE"\].*\})$/m);
    expect(told).not.toContain('checked');
    await eventually(() => expect(podman('ps', '--all', '--quiet').stdout).toBe(''));
  });
});

describe('variables of an image', () => {
  it('do not bring back credentials whose folder the caller has moved', () => {
    const lines = ['CARGO_HOME', 'XDG_CONFIG_HOME', 'DOCKER_CONFIG'].map((name) => `ENV ${name}=/n`);
    const image = imported('moved', { lines });
    const scene = new Scene();
    const moved = openFolder('moved');
    for (const file of ['cargo/credentials.toml', 'config/gh/hosts.yml', 'docker/config.json']) {
      mkdirSync(dirname(join(moved, file)), { recursive: true });
      writeFileSync(join(moved, file), 'a secret');
    }
    const env = {
      CARGO_HOME: join(moved, 'cargo'),
      XDG_CONFIG_HOME: join(moved, 'config'),
      DOCKER_CONFIG: join(moved, 'docker'),
    };
    writeFileSync(join(moved, 'note'), 'a note');
    const script = `cat ${moved}/note ${moved}/*/credentials.toml ${moved}/*/gh/hosts.yml ${moved}/docker/config.json`;
    const words = ['run', '--net', 'off', '--in', `podman:${image}`, '--read', moved, '--', 'sh', '-c', script];
    expect(scene.run(words, { env }).stdout).toBe('a note');
  });
});

describe('a link that is named', () => {
  it.each([
    ['--read', 'real', ['--fs', 'minimal']],
    ['--write', 'real', ['--fs', 'minimal']],
    ['--read', 'real/below', ['--fs', 'minimal']],
    ['--read', 'nowhere', ['--fs', 'minimal']],
    ['--expose', 'real', []],
    ['--workspace', 'real', []],
  ])('%s of a link to %s is refused, as on this machine', (flag, leads, more) => {
    for (const user of ['root', 'cordon-test'] as const) {
      const scene = new Scene(user);
      const folder = openFolder('links');
      const { uid, gid } = identityOf(user);
      chownSync(folder, uid, gid);
      mkdirSync(join(folder, 'real/below'), { recursive: true });
      symlinkSync(join(folder, leads.split('/')[0] ?? ''), join(folder, 'link'));
      const place = join(folder, leads.replace(/^[^/]*/, 'link'));
      const words = ['run', '--net', 'off', '--in', `docker:${IMAGE}`, ...more, flag, place, '--', 'ls', place];
      expect(scene.run(words)).toMatchObject({
        status: 125,
        stdout: '',
        stderr: expect.stringContaining(`${folder}/link is a link to`),
      });
    }
  });

  it('is followed where it is the name of the home', () => {
    const scene = new Scene();
    const name = join(openFolder('homes'), 'me');
    symlinkSync(scene.home, name);
    mkdirSync(join(scene.home, 'notes'));
    writeFileSync(join(scene.home, 'notes/one'), 'a note');
    const words = ['run', '--net', 'off', '--in', `podman:${IMAGE}`, '--fs', 'minimal', '--read', join(name, 'notes')];
    expect(scene.run([...words, '--', 'cat', join(name, 'notes/one')], { env: { HOME: name } }).stdout).toBe('a note');
  });
});
