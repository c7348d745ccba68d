import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { installedPackage } from '../support/cordon.ts';
import { eventually, IMAGE, podman, processesWith, Scene } from './scene.ts';

/** A container that somebody else started, with what engines give by default unless said otherwise. */
function running(name: string, ...flags: string[]): void {
  const started = podman('run', '--detach', '--name', name, '--network', 'none', ...flags, IMAGE, 'sleep', '1000');
  expect(started.stderr).toBe('');
  onTestFinished(() => {
    podman('rm', '--force', '--time', '0', name);
  });
}

describe('cordon run --in container:NAME', () => {
  it('starts a command behind the barrier where the container allows one', () => {
    running('open', '--security-opt', 'unmask=ALL');
    const script = 'echo $A_TOKEN; echo $HOME; ps | grep -q "[s]leep 1000" || echo alone; exit 3';
    const ran = new Scene().run(['run', '--in', 'container:open', '--allow', 'A_TOKEN', '--', 'sh', '-c', script], {
      env: { A_TOKEN: 'given' },
    });
    expect(ran).toMatchObject({ status: 3, stdout: 'given\n/root\nalone\n', stderr: '' });
  });

  it('says so where it does not, and refuses what needs it', () => {
    running('usual');
    const scene = new Scene();
    const filtered = scene.run(['run', '--in', 'container:usual', '--', 'echo', 'done']);
    expect(filtered).toMatchObject({ status: 0, stdout: 'done\n', stderr: expect.stringContaining('no barrier') });
    const strict = scene.run(['run', '--in', 'container:usual', '--isolation', 'barrier', '--', 'echo', 'done']);
    expect(strict).toMatchObject({ status: 125, stdout: '' });
  });

  it('gives root in the container a launcher that it cannot write to', () => {
    running('hostile');
    const file = join(installedPackage(), 'dist/native/cordon-launch');
    const before = readFileSync(file);
    // The launcher is the parent of the command, and its program is open to the same user.
    const script = `
      for f in /proc/$PPID/exe /proc/$PPID/fd/3 /proc/1/exe; do
        (echo planted > $f) 2>/dev/null && echo "wrote $f"
      done; echo tried`;
    const ran = new Scene().run(['run', '-q', '--in', 'container:hostile', '--', 'sh', '-c', script]);
    expect(ran.stdout).toBe('tried\n');
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  it.each(['unmask=ALL', 'no-new-privileges'])('ends all it started when it is killed itself (%s)', async (option) => {
    running('left', '--security-opt', option);
    const words = [
      'run',
      '-q',
      '--in',
      'container:left',
      '--',
      'sh',
      '-c',
      'sleep 4713 & (sleep 4713 &); echo ready; sleep 4713',
    ];
    const left = new Scene().start(words);
    await eventually(() => expect(left.said()).toContain('ready'));
    expect(processesWith('^sleep 4713')).toHaveLength(3);
    left.child.kill('SIGKILL');
    await eventually(() => expect(processesWith('^sleep 4713')).toEqual([]));
    expect(podman('inspect', '--format', '{{.State.Running}}', 'left').stdout).toBe('true\n');
  });

  it('tells a signal to the command, which the engine would keep', async () => {
    running('told');
    const trap = 'trap "echo told; exit 9" TERM; echo ready; while :; do sleep 0.1; done';
    const ran = new Scene().start(['run', '-q', '--in', 'container:told', '--', 'sh', '-c', trap]);
    await eventually(() => expect(ran.said()).toContain('ready'));
    ran.child.kill('SIGTERM');
    expect(await ran.ended).toBe(9);
  });

  it('refuses a name that no running container has, and a network that is not its to change', () => {
    running('connected');
    const scene = new Scene();
    expect(scene.run(['run', '--in', 'container:nobody', '--', 'true']).stderr).toContain('no running container');
    const off = scene.run(['run', '--in', 'container:connected', '--net', 'off', '--', 'true']);
    expect(off.stderr).toContain('cannot be off for one command');
  });
});
