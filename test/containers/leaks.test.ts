import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { canary, programsWith } from '../support/leaks.ts';
import { expectKeptWhileRunning, expectNothingLeft, filesWith, inspected } from './leaks.ts';
import { eventually, IMAGE, podman, Scene } from './scene.ts';

describe('what an engine is told, keeps and logs', () => {
  it('holds neither a value nor an argument nor output, during and after', async () => {
    const [value, argument, output] = [canary(), canary(), canary()];
    const scene = new Scene();
    const script = `echo ${output.slice(0, 12)}""${output.slice(12)}; echo ready; exec sleep 4714`;
    // The second time podman is begun before anything is decided.
    for (const way of ['podman', 'podman', 'docker']) {
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
      expectKeptWhileRunning(value, [argument, output], ['cordon']);
      expect(programsWith(argument, 'cmdline').filter((name) => !/^(cordon|node|busybox)$/.test(name))).toEqual([]);
      ran.child.kill('SIGTERM');
      await ran.ended;
      expectNothingLeft(value, argument, output);
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
