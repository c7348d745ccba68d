import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ENGINE_FOLDER, eventually, IMAGE, podman, Scene } from './scene.ts';

/** Where engines keep what they are told, of ours and of the machine's own. */
const KEPT = () =>
  [
    ENGINE_FOLDER(),
    '/var/lib/containers',
    '/run/containers',
    '/run/libpod',
    '/run/crun',
    '/run/runc',
    '/var/log',
  ].filter((one) => existsSync(one));

const filesWith = (value: string) =>
  spawnSync('grep', ['-rlaF', '--', value, ...KEPT()], { encoding: 'utf8' })
    .stdout.split('\n')
    .filter((line) => line !== '');

const inspected = (value: string) =>
  podman('ps', '--all', '--quiet', '--no-trunc')
    .stdout.split('\n')
    .filter((id) => id !== '')
    .some((id) => podman('inspect', id).stdout.includes(value));

/** Processes whose arguments or environment hold it, by the names of their programs. */
function programsWith(value: string, what: 'cmdline' | 'environ'): string[] {
  const found = readdirSync('/proc').filter(
    (pid) => /^\d+$/.test(pid) && Number(pid) !== process.pid && holds(pid, what, value),
  );
  return [...new Set(found.map(programOf))].sort();
}

function holds(pid: string, what: string, value: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/${what}`, 'latin1').includes(value);
  } catch {
    return false;
  }
}

function programOf(pid: string): string {
  try {
    return basename(readlinkSync(`/proc/${pid}/exe`));
  } catch {
    return 'gone';
  }
}

const canary = () => `canary-${randomBytes(12).toString('hex')}`;

describe('what an engine is told, keeps and logs', () => {
  it('holds neither a value nor an argument nor output, during and after', async () => {
    const [value, argument, output] = [canary(), canary(), canary()];
    const scene = new Scene();
    const script = `echo ${output.slice(0, 12)}""${output.slice(12)}; echo ready; exec sleep 4714`;
    for (const way of ['podman', 'docker']) {
      const words = [
        'run',
        '--net',
        'off',
        '--in',
        `${way}:${IMAGE}`,
        '--allow',
        'A_TOKEN',
        '--',
        'sh',
        '-c',
        script,
        argument,
      ];
      const ran = scene.start(words, { A_TOKEN: value });
      await eventually(() => expect(ran.said()).toContain('ready'));
      expect(ran.said()).toContain(output);
      expect(inspected(value) || inspected(argument) || inspected(output)).toBe(false);
      // Only who called with it, and the command itself.
      expect(programsWith(value, 'environ')).toEqual(['busybox', 'cordon']);
      expect(programsWith(value, 'cmdline')).toEqual([]);
      expect(programsWith(argument, 'cmdline').filter((name) => !/^(cordon|node|busybox)$/.test(name))).toEqual([]);
      for (const one of [value, argument, output]) expect(filesWith(one)).toEqual([]);
      ran.child.kill('SIGTERM');
      await ran.ended;
      for (const one of [value, argument, output]) expect(filesWith(one)).toEqual([]);
      expect(readFileSync(join(scene.home, '.local/state/cordon/audit.jsonl'), 'utf8')).not.toContain(value);
    }
  });

  it('holds nothing of a command in a container that runs already', async () => {
    const value = canary();
    podman('run', '--detach', '--name', 'kept', '--network', 'none', IMAGE, 'sleep', '1000');
    onTestFinished(() => {
      podman('rm', '--force', '--time', '0', 'kept');
    });
    const words = [
      'run',
      '-q',
      '--in',
      'container:kept',
      '--allow',
      'A_TOKEN',
      '--',
      'sh',
      '-c',
      'echo ready; exec sleep 4715',
    ];
    const ran = new Scene().start(words, { A_TOKEN: value });
    await eventually(() => expect(ran.said()).toContain('ready'));
    expect(inspected(value)).toBe(false);
    expect(programsWith(value, 'environ')).toEqual(['busybox', 'cordon']);
    expect(filesWith(value)).toEqual([]);
    ran.child.kill('SIGTERM');
    await ran.ended;
    expect(filesWith(value)).toEqual([]);
  });

  it('would be found: the engine alone keeps a value in several places', () => {
    const value = canary();
    podman(
      'run',
      '--detach',
      '--name',
      'leaky',
      '--network',
      'none',
      '--env',
      `A_TOKEN=${value}`,
      IMAGE,
      'sleep',
      '1000',
    );
    onTestFinished(() => {
      podman('rm', '--force', '--time', '0', 'leaky');
    });
    expect(inspected(value)).toBe(true);
    expect(filesWith(value).length).toBeGreaterThan(0);
    expect(programsWith(value, 'environ')).toContain('busybox');
  });
});
