import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { freshHome, runCordon } from '../support/cordon.ts';
import { openFolder, ROOT } from '../support/project.ts';
import { eventually, get, kubectl, kubectlWith, NAMESPACE } from './kubernetes.ts';

const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
/** The image, as the nodes know it. */
export const IMAGE = process.env.CORDON_TEST_IMAGE ?? `localhost/cordon:${version}`;

const PROFILE = {
  environment: { base: 'os-common' },
  env_credentials: [{ target: 'API_TOKEN', source: 'vault://API_TOKEN' }],
  network: { block: true },
  filesystem: { preset: 'guarded' },
};

/** What `cordon export` writes for a command, without the line that this Kubernetes does not know yet. */
export function exportedPod(name: string, ...command: string[]): string {
  const profile = join(openFolder('profile'), `${name}.json`);
  writeFileSync(profile, JSON.stringify(PROFILE));
  const { code, stdout, stderr } = runCordon(['export', '--as', 'pod', '--image', IMAGE, profile, '--', ...command], {
    home: freshHome('root'),
  });
  if (code !== 0) throw new Error(stderr);
  return stdout.replace(/^ *hostUsers: .*\n/m, '');
}

/** The Secret, as the first lines of the manifest say to make it. */
export async function createSecret(name: string, values: Readonly<Record<string, string>>): Promise<void> {
  const folder = openFolder('values');
  const files = Object.entries(values).map(([key, value]) => {
    writeFileSync(join(folder, key), value, { mode: 0o600 });
    return `--from-file=${key}=${join(folder, key)}`;
  });
  await kubectl('--namespace', NAMESPACE, 'create', 'secret', 'generic', name, ...files);
  onTestFinished(() => kubectl('--namespace', NAMESPACE, 'delete', 'secret', name).then(() => undefined));
}

/** A pod until the test ends. */
export function startPod(name: string, manifest: string): void {
  kubectlWith(manifest, '--namespace', NAMESPACE, 'apply', '--filename', '-');
  const words = ['delete', 'pod', name, '--grace-period=0', '--force'];
  onTestFinished(() => kubectl('--namespace', NAMESPACE, ...words).then(() => undefined));
}

/** What the first container of a pod has said. */
export const saidBy = (name: string) => kubectl('--namespace', NAMESPACE, 'logs', name);

/** What a pod said that has come to its end. */
export async function outputOfPod(name: string, manifest: string): Promise<string> {
  startPod(name, manifest);
  await eventually(async () => {
    const { status } = await get('pod', name);
    if (status.phase !== 'Succeeded' && status.phase !== 'Failed') throw new Error(JSON.stringify(status));
  });
  return saidBy(name);
}
