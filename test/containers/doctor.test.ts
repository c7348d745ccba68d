import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { installedPackage } from '../support/cordon.ts';
import { IMAGE, podman } from './scene.ts';

interface Report {
  readonly level: string;
  readonly findings: readonly { check: string; state: string; found: string; means?: string; fix?: string }[];
}

/** Cordon installed in a container: the machine's programs in an image that has none. */
function inside(flags: readonly string[], ...words: string[]) {
  const node = dirname(execFileSync('readlink', ['-f', process.execPath], { encoding: 'utf8' }).trim());
  const mounts = [...new Set(['/usr', '/lib', '/lib64', node, installedPackage()])].flatMap((path) => [
    '-v',
    `${path}:${path}:ro`,
  ]);
  const settings = [
    '--rm',
    '--network',
    'none',
    '--log-driver',
    'none',
    '--tmpfs',
    '/tmp',
    '--tmpfs',
    '/var/tmp',
    '--env',
    `PATH=${node}:/usr/bin:/bin`,
  ];
  return podman('run', ...settings, ...flags, ...mounts, IMAGE, join(installedPackage(), 'bin/cordon'), ...words);
}

function examined(...flags: string[]) {
  const { stdout } = inside(flags, 'doctor', '--json');
  const { level, findings } = JSON.parse(stdout) as Report;
  return { level, of: (check: string) => findings.find((one) => one.check === check) };
}

describe('cordon doctor in a container', () => {
  it('names the settings that are missing, and with them the barrier stands', () => {
    const usual = examined('--user', '1000:1000');
    expect(usual.of('container')).toMatchObject({ state: 'ok', found: 'a container of podman' });
    expect(usual.of('barrier')).toMatchObject({ state: 'missing', fix: 'podman run --security-opt unmask=ALL …' });
    expect(usual.level).toBe('filter');
    // Nothing that could be started inside gives it control groups.
    expect(usual.of('limits')).toMatchObject({ state: 'weaker', means: expect.stringContaining('of the container') });
    expect(usual.of('limits')?.fix).toBeUndefined();
    expect(examined('--user', '1000:1000', '--security-opt', 'unmask=ALL').level).toBe('barrier');
  });

  it('knows what root without capabilities lacks', () => {
    const bare = examined('--cap-drop', 'ALL');
    expect(bare.of('barrier')?.fix).toBe('podman run --security-opt unmask=ALL --cap-add SETFCAP …');
    const enough = examined('--cap-drop', 'ALL', '--security-opt', 'unmask=ALL', '--cap-add', 'SETFCAP');
    expect(enough.level).toBe('barrier');
  });

  it('speaks to whoever wrote the pod, and names the token', () => {
    const pod = ['--env', 'KUBERNETES_SERVICE_HOST=127.0.0.1', '--cap-drop', 'ALL', '--user', '1000:1000'];
    const account = ['-v', '/etc/hostname:/var/run/secrets/kubernetes.io/serviceaccount/token:ro'];
    const report = examined(...pod, ...account);
    expect(report.of('container')).toMatchObject({
      state: 'weaker',
      fix: expect.stringContaining('automountServiceAccountToken: false'),
    });
    expect(report.of('barrier')).toMatchObject({
      fix: 'in the pod: hostUsers: false; in the container: securityContext: { procMount: Unmasked }',
      means: expect.stringContaining('restricted'),
    });
  });

  it('refuses an agent that would only be filtered, unless told', () => {
    const words = ['agent', 'run', 'goose', 'hello'];
    const refused = inside(['--env', 'HOME=/tmp'], ...words);
    expect(refused).toMatchObject({ status: 125, stderr: expect.stringContaining('--isolation filter') });
    expect(inside(['--env', 'HOME=/tmp'], ...words, '--isolation', 'filter').stdout).toContain('agent got: hello');
  });
});
