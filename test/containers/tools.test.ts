import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { canary, programsWith } from '../support/leaks.ts';
import { identityOf } from '../support/users.ts';
import { expectKeptWhileRunning, expectNothingLeft } from './leaks.ts';
import { eventually, IMAGE, podman, processesWith, Scene } from './scene.ts';

/** A home with the shim of a tool that runs in the image, and has no network. */
class ToolScene extends Scene {
  readonly config = join(this.home, '.config/cordon/cordon.toml');

  shim(name: string): string {
    return join(this.home, '.local/share/cordon/bin', name);
  }

  with(tool: string, section = '', engine = 'podman'): this {
    mkdirSync(join(this.home, '.config/cordon'), { recursive: true, mode: 0o700 });
    writeFileSync(
      this.config,
      `[tools.${tool}]\nin = "${engine}:${IMAGE}"\nenv_base = "os-common"\n${section}[tools.${tool}.network]\nblock = true\n`,
    );
    this.own(this.config, join(this.home, '.config/cordon'), join(this.home, '.config'));
    const { status, stderr } = this.run(['tool', 'apply']);
    expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' });
    return this;
  }
}

describe('a tool in a container', () => {
  it('is typed by its name, need not be installed here, and gets what its policy says', () => {
    const scene = new ToolScene().with('goose', 'env_allow = ["WANTED", "IMAGE_TOKEN"]\n');
    const env = { WANTED: 'yes', OTHER_TOKEN: 'secret', NODE_OPTIONS: '--bad', HOST_PLACE: '/opt' };
    const ran = scene.run([], { program: scene.shim('goose'), env, input: 'typed' });
    expect(ran).toMatchObject({ status: 0, stderr: '' });
    expect(ran.stdout).toContain('agent got: typed\n');
    expect(ran.stdout).toMatch(/^WANTED=yes$/m);
    expect(ran.stdout).toMatch(/^IMAGE_TOKEN=of-the-image$/m);
    expect(ran.stdout).toMatch(/^PATH=\/bin:\/usr\/bin$/m);
    expect(ran.stdout).not.toMatch(/OTHER_TOKEN|NODE_OPTIONS|LD_PRELOAD|CORDON|HOST_PLACE/);
    const [record] = JSON.parse(scene.run(['audit', '--json']).stdout);
    expect(record).toMatchObject({
      command: 'goose',
      policy: 'tool goose',
      in: `podman:${IMAGE}`,
      isolation: 'barrier',
      network: 'off',
    });
  });

  it('works in the project alone, with its exit code, and in another home with the policy it was made for', () => {
    const scene = new ToolScene().with('sh', 'fs_read = ["~/notes"]\n');
    writeFileSync(join(scene.home, 'notes'), 'a note\n');
    writeFileSync(join(scene.home, 'own'), 'mine\n');
    const script = `touch made; cat ${scene.home}/notes; cat ${scene.home}/own 2>/dev/null || echo held; exit 6`;
    const ran = scene.run(['-c', script], { program: scene.shim('sh') });
    expect(ran).toMatchObject({ status: 6, stdout: 'a note\nheld\n', stderr: '' });
    expect(statSync(join(scene.project, 'made')).isFile()).toBe(true);
    const elsewhere = { HOME: '/', XDG_CONFIG_HOME: '/nowhere', A_TOKEN: 'secret' };
    expect(scene.run(['-c', 'echo $A_TOKEN'], { program: scene.shim('sh'), env: elsewhere }).stdout).toBe('\n');
    expect(JSON.parse(scene.run(['audit', '--json']).stdout)).toHaveLength(2);
  });

  it('is told signals, and ends when what started it is killed', async () => {
    const scene = new ToolScene().with('sh');
    const trap = 'trap "echo told; exit 9" TERM; echo ready; while :; do sleep 0.1; done';
    const told = scene.start(['-c', trap], {}, scene.shim('sh'));
    await eventually(() => expect(told.said()).toContain('ready'));
    told.child.kill('SIGTERM');
    expect(await told.ended).toBe(9);
    const left = scene.start(['-c', 'sleep 4721 & echo ready; sleep 4721'], {}, scene.shim('sh'));
    await eventually(() => expect(left.said()).toContain('ready'));
    left.child.kill('SIGKILL');
    await eventually(() => expect(processesWith('^sleep 4721')).toEqual([]));
    await eventually(() => expect(podman('ps', '--all', '--quiet').stdout).toBe(''));
  });

  it('has a terminal where there is one', () => {
    const scene = new ToolScene().with('tty');
    expect(scene.runOnTerminal([], scene.shim('tty')).stdout).toMatch(/\/dev\/(console|pts\/\d+)\r?\n/);
  });

  it('does the same through docker for an ordinary user', () => {
    const scene = new ToolScene('cordon-test').with('sh', 'env_allow = ["A_TOKEN"]\n', 'docker');
    const ran = scene.run(['-c', 'id -u; echo $A_TOKEN; touch made'], {
      program: scene.shim('sh'),
      env: { A_TOKEN: 'given' },
    });
    const { uid } = identityOf('cordon-test');
    expect(ran).toMatchObject({ status: 0, stdout: `${uid}\ngiven\n` });
    expect(statSync(join(scene.project, 'made')).uid).toBe(uid);
  });

  it('runs another command in it with run --tool, and explains what its image brings', () => {
    const scene = new ToolScene().with('goose', 'env_allow = ["MINE"]\n');
    const ran = scene.run(['run', '--tool', 'goose', '--', 'sh', '-c', 'echo $MINE; ls /bin/goose'], {
      env: { MINE: 'yes' },
    });
    expect(ran).toMatchObject({ status: 0, stdout: 'yes\n/bin/goose\n' });
    const { stdout } = scene.run(['explain', '--tool', 'goose', 'IMAGE_TOKEN'], {});
    expect(stdout).toContain('the image sets it');
    const dry = JSON.parse(scene.run(['run', '--tool', 'goose', '--dry-run', '--json', '--', 'goose']).stdout);
    expect(dry).toMatchObject({ in: `podman:${IMAGE}`, binds: [{ path: scene.project, writable: true }] });
    for (const words of [
      ['shell', '--tool', 'goose'],
      ['prove', '--tool', 'goose'],
    ])
      expect(scene.run(words)).toMatchObject({ status: 125, stderr: expect.stringContaining('runs in a container') });
  });

  it('goes where cordon.toml says at its next start, and nowhere when that says nothing', () => {
    const scene = new ToolScene().with('goose');
    const text = readFileSync(scene.config, 'utf8');
    const shim = { program: scene.shim('goose') };
    writeFileSync(scene.config, text.replace(/^in = .*$/m, 'in = "container:nobody"'));
    expect(scene.run([], shim)).toMatchObject({ status: 125, stderr: expect.stringContaining('no running container') });
    writeFileSync(scene.config, text.replace(/^in = .*\n/m, ''));
    expect(scene.run([], shim)).toMatchObject({ status: 125, stderr: expect.stringContaining('not installed') });
    rmSync(scene.config);
    expect(scene.run([], shim)).toMatchObject({ status: 125, stderr: expect.stringContaining('policy file is gone') });
  });

  it('leaves no value, argument or output with the engine, during and after', async () => {
    const [value, argument, output] = [canary(), canary(), canary()];
    const scene = new ToolScene().with('sh', 'env_allow = ["A_TOKEN"]\n');
    const script = `echo ${output.slice(0, 12)}""${output.slice(12)}; echo ready; exec sleep 4722`;
    const ran = scene.start(['-c', script, argument], { A_TOKEN: value }, scene.shim('sh'));
    await eventually(() => expect(ran.said()).toContain('ready'));
    expect(ran.said()).toContain(output);
    expectKeptWhileRunning(value, [argument, output], ['cordon']);
    expect(programsWith(argument, 'cmdline').filter((name) => !/^(cordon|node|busybox)$/.test(name))).toEqual([]);
    ran.child.kill('SIGTERM');
    await ran.ended;
    expectNothingLeft(value, argument, output);
    expect(readFileSync(scene.shim('sh'), 'latin1')).not.toContain(value);
  });
});
