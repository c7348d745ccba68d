import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { identityOf } from '../support/users.ts';
import { eventually, IMAGE, podman, processesWith, rootless, Scene } from './scene.ts';
import { SessionScene } from './session-scene.ts';

const IN = ['--net', 'off', '--in', `podman:${IMAGE}`];

describe('cordon run --in podman:IMAGE', () => {
  it('gives the command what the policy says of the caller and of the image', () => {
    const { stdout, status } = new Scene().run(['run', ...IN, '--allow', 'WANTED', '--', 'env'], {
      env: { WANTED: 'yes', A_TOKEN: 'secret', XDG_CACHE_HOME: '/var/cache' },
    });
    const names = stdout.split('\n').map((line) => line.split('=', 1)[0]);
    expect(status).toBe(0);
    expect(names).toEqual(expect.arrayContaining(['WANTED', 'PATH', 'LANG', 'HOME']));
    expect(names).not.toEqual(expect.arrayContaining(['A_TOKEN']));
    expect(stdout).toContain('PATH=/bin:/usr/bin\n');
    // The image's own are decided about like the caller's: one no rule admits, one no rule could.
    expect(stdout).not.toMatch(/IMAGE_TOKEN|LD_PRELOAD|XDG_CACHE_HOME/);
  });

  it('lets an image variable through when the policy names it, and explains it', () => {
    const scene = new Scene();
    expect(scene.run(['run', ...IN, '--allow', 'IMAGE_TOKEN', '--', 'env']).stdout).toContain(
      'IMAGE_TOKEN=of-the-image',
    );
    const { stdout } = scene.run(['explain', ...IN, '--allow', 'MINE', '--json'], { env: { MINE: '/opt/mine' } });
    const told = new Map((JSON.parse(stdout) as { name: string }[]).map((one) => [one.name, one]));
    expect(told.get('IMAGE_TOKEN')).toMatchObject({
      verdict: 'drop',
      reason: expect.stringContaining('the image sets it'),
    });
    expect(told.get('LD_PRELOAD')).toMatchObject({ verdict: 'drop', rule: expect.stringContaining('never') });
    expect(told.get('MINE')).toMatchObject({ verdict: 'drop', rule: 'host place' });
    expect(stdout).not.toContain('of-the-image');
  });

  it('has the workspace and nothing else of the machine, all else read-only, and no powers', () => {
    const scene = new Scene();
    writeFileSync(join(scene.home, 'own.txt'), 'mine');
    const script = `
      touch made && echo workspace; touch .git/hooks/x 2>/dev/null || echo hooks-held
      touch /etc/x 2>/dev/null || echo root-held; touch ~/x && echo home-writable; ls ~/own.txt 2>/dev/null || echo home-private
      grep -E '^Cap(Eff|Bnd|Prm):.*[1-9a-f]' /proc/self/status || echo no-powers
      grep -q 'NoNewPrivs:.1' /proc/self/status && echo no-new; grep -q 'Seccomp:.2' /proc/self/status && echo filtered
      ip link | grep -v -e lo: -e loopback | grep -q link || echo no-network`;
    const { stdout, stderr, status } = scene.run(['run', ...IN, '--', 'sh', '-c', script]);
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
    const held = 'workspace hooks-held root-held home-writable home-private no-powers no-new filtered no-network';
    expect(stdout.trim().split(/\s+/)).toEqual(held.split(' '));
    expect(existsSync(join(scene.project, 'made'))).toBe(true);
    expect(existsSync(join(scene.home, 'x'))).toBe(false);
  });

  it('hides credentials in a folder that is shown', () => {
    const scene = new Scene();
    mkdirSync(join(scene.home, '.ssh'));
    writeFileSync(join(scene.home, '.ssh/id_rsa'), 'a key');
    writeFileSync(join(scene.home, 'notes.txt'), 'a note');
    const script = `cat ${scene.home}/notes.txt; cat ${scene.home}/.ssh/id_rsa 2>/dev/null || echo held`;
    const { stdout } = scene.run(['run', ...IN, '--read', scene.home, '--', 'sh', '-c', script]);
    expect(stdout).toBe('a noteheld\n');
  });

  it('hands on exit codes, input and what cannot be started', () => {
    const scene = new Scene();
    const run = (...words: string[]) => scene.run(['run', ...IN, '--', ...words], { input: 'typed' });
    expect(run('sh', '-c', 'cat; exit 7')).toMatchObject({ stdout: 'typed', status: 7 });
    expect(run('sh', '-c', 'kill -9 $$').status).toBe(137);
    expect(run('nosuch')).toMatchObject({ status: 127, stderr: expect.stringContaining('not found') });
    expect(run('unusable').status).toBe(126);
    const absent = scene.run(['run', '--net', 'off', '--in', 'podman:localhost/none', '--', 'true']);
    expect(absent).toMatchObject({ status: 125, stderr: expect.stringContaining('started no container') });
  });

  it('passes a signal on once, and ends what is inside when it is killed itself', async () => {
    const scene = new Scene();
    const trap = 'trap "echo told; exit 9" TERM; echo ready; while :; do sleep 0.1; done';
    const told = scene.start(['run', ...IN, '--', 'sh', '-c', trap]);
    await eventually(() => expect(told.said()).toContain('ready'));
    told.child.kill('SIGTERM');
    expect(await told.ended).toBe(9);
    expect(told.said()).toBe('ready\ntold\n');

    const left = scene.start(['run', ...IN, '--', 'sh', '-c', 'sleep 4711 & echo ready; sleep 4711']);
    await eventually(() => expect(left.said()).toContain('ready'));
    expect(processesWith('^sleep 4711')).toHaveLength(2);
    left.child.kill('SIGKILL');
    await eventually(() => expect(processesWith('^sleep 4711')).toEqual([]));
    await eventually(() => expect(podman('ps', '--all', '--quiet').stdout).toBe(''));
  });

  it('has a terminal where there is one', () => {
    const scene = new Scene();
    const { stdout } = scene.runOnTerminal(['run', ...IN, '--', 'sh', '-c', 'tty && tty <&1 && echo $TERM']);
    expect(stdout).toMatch(/\/dev\/(console|pts\/\d+)\r?\n\/dev\/(console|pts\/\d+)\r?\nvt100/);
  });

  it('records it with where it ran and what was reached', () => {
    const scene = new Scene();
    scene.run(['run', ...IN, '--', 'true']);
    const [record] = JSON.parse(scene.run(['audit', '--json']).stdout);
    expect(record).toMatchObject({
      command: 'true',
      in: `podman:${IMAGE}`,
      isolation: 'barrier',
      exit: 0,
      network: 'off',
    });
  });

  it.each([
    [['--fs', 'all'], 'not in a container'],
    [['--workspace', 'aside'], 'lost with it'],
    [['--trace'], '--trace does not go with --in'],
    [['--in', 'docker:x'], 'given once'],
  ])('refuses %j before anything is started', (flags, words) => {
    const { stderr, status } = new Scene().run(['run', '--in', `podman:${IMAGE}`, ...flags, '--', 'true']);
    expect(stderr).toContain(words);
    expect(status).toBe(125);
  });

  it.each(['podman', 'lxc:x', 'podman:--privileged', 'container:-x'])('does not know --in %s', (target) => {
    expect(new Scene().run(['run', '--in', target, '--', 'true'])).toMatchObject({
      status: 125,
      stderr: expect.stringContaining('podman:IMAGE'),
    });
  });
});

describe('cordon run --in docker:IMAGE', () => {
  const DOCKER = ['--net', 'off', '--in', `docker:${IMAGE}`];

  it('does the same for an ordinary user, whose files they are', () => {
    const scene = new Scene('cordon-test');
    const { uid } = identityOf('cordon-test');
    const script = 'id -u; echo $A_TOKEN; touch made; touch ~/x && echo home; exit 5';
    const ran = scene.run(['run', ...DOCKER, '--allow', 'A_TOKEN', '--', 'sh', '-c', script], {
      env: { A_TOKEN: 'given' },
    });
    expect(ran).toMatchObject({ status: 5, stdout: `${uid}\ngiven\nhome\n` });
    expect(statSync(join(scene.project, 'made')).uid).toBe(uid);
    expect(readFileSync(join(scene.home, '.local/state/cordon/audit.jsonl'), 'utf8')).toContain(
      `"in":"docker:${IMAGE}"`,
    );
  });

  it('ends what is inside when it is killed itself', async () => {
    const left = new Scene('cordon-test').start(['run', ...DOCKER, '--', 'sh', '-c', 'echo ready; sleep 4712']);
    await eventually(() => expect(left.said()).toContain('ready'));
    left.child.kill('SIGKILL');
    await eventually(() => expect(processesWith('^sleep 4712')).toEqual([]));
  });
});

describe('rootless podman', () => {
  it('does the same without any daemon, as the user', () => {
    const scene = new SessionScene('cordon-test').with();
    const env = { ...rootless(scene), A_TOKEN: 'given' };
    const script = 'id -u; echo $A_TOKEN; touch made; touch /etc/x 2>/dev/null || echo held; exit 5';
    const ran = scene.run(['run', ...IN, '--isolation', 'barrier', '--allow', 'A_TOKEN', '--', 'sh', '-c', script], {
      env,
    });
    const { uid } = identityOf('cordon-test');
    expect(ran).toMatchObject({ status: 5, stdout: `${uid}\ngiven\nheld\n`, stderr: '' });
    expect(statSync(join(scene.project, 'made')).uid).toBe(uid);
    const [call] = scene.results("tell(await session.bash('id -u; echo $A_TOKEN; touch made; exit 6'));", '', env);
    expect(call).toMatchObject({ exitCode: 6, stdout: `${uid}\n${scene.secret}\n`, stderr: '' });
    expect(statSync(join(scene.workspace('u1'), 'made')).uid).toBe(uid);
  });
});

describe('cordon agent run --in', () => {
  it('starts the program of the image with what an agent gets', () => {
    const { stdout, status } = new Scene().run(['agent', 'run', 'goose', ...IN, 'say hello'], {
      env: { OTHER_TOKEN: 'secret', GOOSE_PROVIDER: 'none' },
    });
    expect(status).toBe(0);
    expect(stdout).toMatch(/agent got: .*say hello/);
    expect(stdout).not.toMatch(/OTHER_TOKEN|IMAGE_TOKEN/);
  });

  it('is refused by what cannot do it', () => {
    const { stderr } = new Scene().run(['shell', '--in', `podman:${IMAGE}`]);
    expect(stderr).toContain('run, explain, agent run, mcp and serve');
  });
});
