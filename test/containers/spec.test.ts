import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { canary, programsWith } from '../support/leaks.ts';
import { expectKeptWhileRunning, expectNothingLeft } from './leaks.ts';
import { eventually, IMAGE, podman, processesWith, Scene } from './scene.ts';

/** A program that starts this spec and ends as it does; `more` are further calls of the builder. */
const starting = (command: readonly string[], more = '', engine = 'podman') => `
  const spec = new cordon.SandboxSpecBuilder({ addToAllowlist: ['CI'] }).inheritFrom({ CI: process.env.CI, A_KEY: 'x' })
    .image(${JSON.stringify(IMAGE)}).command(${JSON.stringify(command)})${more}.build();
  const ending = new AbortController();
  process.on('SIGTERM', () => ending.abort());
  const { result } = await cordon.launchSpecIn(spec, '${engine}', { signal: ending.signal });
  process.exitCode = (await result).exitCode;`;

const mounting = (source: string, access: string, target = '/workspace') =>
  `.mount(${JSON.stringify({ source, target, access })})`;

function ran(scene: Scene, text: string, env: Record<string, string> = {}) {
  const { program, words } = scene.script(text);
  return scene.run(words, { program, env });
}

describe('a sandbox spec in a container', () => {
  it.each(['podman', 'docker'])('has its environment, its mounts and nothing else (%s)', (engine) => {
    const scene = new Scene();
    const other = join(scene.project, '..', 'other');
    mkdirSync(other);
    writeFileSync(join(other, 'read'), 'a text\n');
    const script = `env; cat /data/read; touch /data/x 2>/dev/null || echo held; touch made; pwd; ls ${scene.project} 2>/dev/null || echo absent; exit 4`;
    const mounts = `${mounting(scene.project, 'read-write')}${mounting(other, 'read-only', '/data')}`;
    const { stdout, status } = ran(scene, starting(['sh', '-c', script], mounts, engine), { CI: 'true', OTHER: 'x' });
    expect(status).toBe(4);
    const lines = stdout.trim().split('\n');
    const variables = lines.filter((line) => line.includes('=')).sort();
    // The shell adds what says where it is.
    expect(variables.filter((line) => !/^(PWD|SHLVL|_|OLDPWD)=/.test(line))).toEqual(['CI=true', 'PATH=/bin:/usr/bin']);
    expect(lines.filter((line) => !line.includes('='))).toEqual(['a text', 'held', '/workspace', 'absent']);
    expect(existsSync(join(scene.project, 'made'))).toBe(true);
  });

  it('works in a folder of this machine when none is mounted there, behind the barrier, without a network', () => {
    const scene = new Scene();
    const script = `touch made; pwd; touch .git/hooks/x 2>/dev/null || echo held
      grep -q 'Seccomp:.2' /proc/self/status && echo filtered; ip link | grep -v -e lo: -e loopback | grep -q link || echo cut-off`;
    const { stdout } = ran(scene, starting(['sh', '-c', script], `.workdir(${JSON.stringify(scene.project)})`));
    expect(stdout).toBe(`${scene.project}\nheld\nfiltered\ncut-off\n`);
    expect(existsSync(join(scene.project, 'made'))).toBe(true);
  });

  it('hides credentials also where they come under another path', () => {
    const scene = new Scene();
    mkdirSync(join(scene.home, '.ssh'));
    writeFileSync(join(scene.home, '.ssh/id_rsa'), 'a key');
    writeFileSync(join(scene.home, 'notes'), 'a note\n');
    const script = 'cat notes; cat .ssh/id_rsa 2>/dev/null || echo held; cat /keys/id_rsa 2>/dev/null || echo held';
    const mounts = `${mounting(scene.home, 'read-write')}${mounting(join(scene.home, '.ssh'), 'read-only', '/keys')}`;
    expect(ran(scene, starting(['sh', '-c', script], mounts)).stdout).toBe('a note\nheld\nheld\n');
  });

  it.each([
    [starting(['true'], '.image(undefined)'), 'names no image'],
    [starting(['true'], ".image('--privileged')"), 'no name that engines know'],
    [starting(['true'], '', 'lxc'), 'does not know this engine'],
    [starting(['true'], mounting('/nowhere', 'read-only')), '/nowhere is not there'],
    [starting(['true'], mounting('/', 'read-only')), 'the whole of /'],
    [starting(['true']), 'the working folder'],
  ])('is refused with what is wrong: %#', (text, words) => {
    const { status, stderr } = ran(new Scene(), text);
    expect(status).toBe(1);
    expect(stderr).toContain(words);
  });

  it('does not follow a link that a command could have made', () => {
    const scene = new Scene();
    const { program, words } = scene.script(`
      import { symlinkSync } from 'node:fs';
      symlinkSync('/etc', 'planted');
      ${starting(['true'], mounting(join(scene.project, 'planted'), 'read-write'))}`);
    expect(scene.run(words, { program }).stderr).toContain('it is not followed');
  });

  it('tells the engine nothing of its environment and command, and ends with who started it', async () => {
    const [value, argument] = [canary(), canary()];
    const scene = new Scene();
    const command = ['sh', '-c', 'echo ready; exec sleep 4731', argument];
    const { program, words } = scene.script(starting(command, mounting(scene.project, 'read-write')));
    const started = () => scene.start([...words], { CI: value }, program);
    const ended = started();
    await eventually(() => expect(ended.said()).toContain('ready'));
    expectKeptWhileRunning(value, [argument], ['node']);
    expect(programsWith(argument, 'cmdline').filter((name) => name !== 'busybox')).toEqual([]);
    ended.child.kill('SIGTERM');
    expect(await ended.ended).toBe(143);
    expectNothingLeft(value, argument);
    const killed = started();
    await eventually(() => expect(killed.said()).toContain('ready'));
    killed.child.kill('SIGKILL');
    await eventually(() => expect(processesWith('^sleep 4731')).toEqual([]));
    await eventually(() => expect(podman('ps', '--all', '--quiet').stdout).toBe(''));
  });
});
