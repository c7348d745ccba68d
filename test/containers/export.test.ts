import { execFileSync } from 'node:child_process';
import { chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { installedPackage } from '../support/cordon.ts';
import { IMAGE, podman, Scene } from './scene.ts';

const PROFILE = {
  environment: { base: 'none', allow_vars: ['PATH', 'NODE_*'], deny_vars: ['*_SECRET'], set_vars: { MODE: 'quick' } },
  env_credentials: [{ target: 'API_TOKEN', source: 'vault://API_TOKEN' }],
  network: { block: true },
  filesystem: { preset: 'guarded' },
};

/** A scene with that profile in its home. */
function withProfile(profile: object = PROFILE): Scene {
  const scene = new Scene();
  const folder = join(scene.home, '.config/cordon/profiles');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'web.json'), JSON.stringify(profile));
  return scene;
}

const exported = (scene: Scene, form: string, ...command: string[]) =>
  scene.run(['export', '--as', form, '--image', IMAGE, 'web', '--', ...command]);

describe('cordon export', () => {
  it.each(['pod', 'job', 'compose'])('--as %s writes what cordon check finds nothing in', (form) => {
    const scene = withProfile();
    const { stdout, status } = exported(scene, form, 'npm', 'start');
    expect(status).toBe(0);
    writeFileSync(join(scene.project, 'written.yaml'), stdout);
    expect(scene.run(['check', 'written.yaml'])).toMatchObject({ status: 0 });
    expect(stdout).not.toMatch(/secretKeyRef|envFrom|privileged/);
    expect(stdout).toContain('API_TOKEN=file:///run/cordon/secrets/API_TOKEN');
  });

  it.each(['pod', 'job', 'compose'])('--as %s means the same to readers of YAML 1.1, in which off is false', (form) => {
    const { stdout } = exported(withProfile(), form, 'tool', 'on', '12:30', '0o17', '1_0', 'y', '=');
    expect(parse(stdout, { version: '1.1' })).toEqual(parse(stdout));
    expect(JSON.stringify(parse(stdout, { version: '1.1' }))).toContain('"tool","on","12:30","0o17","1_0","y","="');
  });

  it('--as pod has what the barrier needs, and nothing of the cluster', () => {
    const { spec } = parse(exported(withProfile(), 'pod', 'npm', 'start').stdout);
    expect(spec).toMatchObject({ automountServiceAccountToken: false, enableServiceLinks: false, hostUsers: false });
    expect(spec.containers[0].securityContext).toEqual({
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
      readOnlyRootFilesystem: true,
      procMount: 'Unmasked',
    });
    const job = parse(exported(withProfile(), 'job', 'npm', 'start').stdout);
    expect(job).toMatchObject({ kind: 'Job', spec: { template: { spec: { restartPolicy: 'Never' } } } });
  });

  it('--as compose starts the command behind the barrier, with the value, and without its file', () => {
    const scene = withProfile();
    const script = 'env; ls /run/cordon 2>/dev/null || echo no-file; grep -c . /proc/1/comm';
    const { services } = parse(exported(scene, 'compose', 'sh', '-c', script).stdout);
    const secret = join(scene.project, 'value');
    writeFileSync(secret, 'the-value', { mode: 0o600 });
    chownSync(secret, 1000, 1000);
    const ran = composed(services.web, { project: scene.project, secret });
    const lines = ran.stdout.split('\n');
    expect(lines).toEqual(expect.arrayContaining(['API_TOKEN=the-value', 'MODE=quick', 'no-file']));
    expect(ran.stdout).not.toMatch(/IMAGE_TOKEN|^HOME=/m);
    expect(ran.status).toBe(0);
  });

  it('refuses a value that looks like a secret, and a form without image or command', () => {
    const profile = { ...PROFILE, environment: { base: 'none', set_vars: { DB_PASSWORD: 'hunter2pass' } } };
    const refused = exported(withProfile(profile), 'pod', 'true');
    expect(refused).toMatchObject({ status: 125, stdout: '', stderr: expect.stringContaining('DB_PASSWORD') });
    expect(refused.stderr).not.toContain('hunter2pass');
    expect(withProfile().run(['export', '--as', 'pod', 'web']).stderr).toContain('needs an image and a command');
    expect(withProfile().run(['export', '--as', 'docker', '--image', 'a', 'web']).stderr).toContain('takes neither');
  });
});

interface Service {
  readonly entrypoint: readonly string[];
  readonly user: string;
  readonly working_dir: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly tmpfs: readonly string[];
  readonly cap_drop: readonly string[];
  readonly security_opt: readonly string[];
  readonly network_mode: string;
  readonly secrets: readonly { target: string }[];
}

/** What compose makes of a service, said to podman, with Cordon and Node from this machine in the image. */
function composed(service: Service, { project, secret }: { project: string; secret: string }) {
  const node = dirname(execFileSync('readlink', ['-f', process.execPath], { encoding: 'utf8' }).trim());
  const own = [...new Set(['/usr', '/lib', '/lib64', node, installedPackage()])].map((path) => `${path}:${path}:ro`);
  const many = (flag: string, values: readonly string[]) => values.flatMap((value) => [flag, value]);
  const [program = '', ...args] = service.entrypoint.map((word) => word.replaceAll('$$', '$'));
  return podman(
    ...['run', '--rm', '--read-only', '--network', service.network_mode, '--user', service.user],
    ...['--workdir', service.working_dir, '--log-driver', 'none'],
    ...many('--tmpfs', service.tmpfs),
    ...many('--cap-drop', service.cap_drop),
    // Podman's words for the same.
    ...many(
      '--security-opt',
      service.security_opt.map((one) => ({ 'systempaths=unconfined': 'unmask=ALL' })[one] ?? one.replace(/:true$/, '')),
    ),
    ...many('--env', [...Object.entries(service.environment).map(([name, value]) => `${name}=${value}`)]),
    ...['--env', `PATH=${join(installedPackage(), 'bin')}:${node}:/usr/bin:/bin`],
    ...many('--volume', [...own, `${project}:${service.working_dir}`, `${secret}:${service.secrets[0]?.target}:ro`]),
    ...['--entrypoint', program, IMAGE, ...args],
  );
}
