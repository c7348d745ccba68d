import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { vi } from 'vitest';
import { ROOT } from '../support/project.ts';

const run = promisify(execFile);
const MOST = { encoding: 'utf8', maxBuffer: 1 << 26, timeout: 280_000 } as const;

export const NAMESPACE = 'cordon';
export const FRONT_NAMESPACE = 'cordon-front';
export const PODS_NAMESPACE = 'cordon-pods';

// biome-ignore lint/suspicious/noExplicitAny: whatever the API server answers
type Any = any;

/** What `kubectl` prints; what it complains about is the error's text. */
export async function kubectl(...args: string[]): Promise<string> {
  return (await run('kubectl', args, MOST)).stdout;
}

/** The same with something on its standard input. */
export function kubectlWith(input: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync('kubectl', args, { ...MOST, input });
  if (status !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`);
  return stdout;
}

export const getIn = async (namespace: string, ...words: string[]): Promise<Any> =>
  JSON.parse(await kubectl('--namespace', namespace, 'get', ...words, '--output', 'json'));
export const get = (...words: string[]): Promise<Any> => getIn(NAMESPACE, ...words);

/** A command in a container of a pod of ours. */
export const inPod = (pod: string, ...command: string[]) =>
  kubectl('--namespace', NAMESPACE, 'exec', pod, '--', ...command);

export const eventually = <T>(look: () => T | Promise<T>, timeout = 90_000) =>
  vi.waitFor(look, { timeout, interval: 250 });

const LAB = fileURLToPath(new URL('lab/cluster', import.meta.url));

/** The machines below, where `kubectl` does not reach. */
export const lab = async (...args: string[]): Promise<string> => (await run(LAB, args, MOST)).stdout;

/** The folder in which everything lies that the machines have on their disks. */
export const labFolder = (): string => process.env.CORDON_LAB as string;

export const MACHINES = ['one', 'two'] as const;

/** What is applied: deploy/, with what this Kubernetes needs changed. */
export const APPLIED = () => join(labFolder(), 'applied');
export const apply = () => kubectl('apply', '--server-side', '--kustomize', APPLIED());

/** The same for deploy/pods. */
export const PODS_APPLIED = () => join(labFolder(), 'applied-pods');
export const applyPods = () => kubectl('apply', '--server-side', '--kustomize', PODS_APPLIED());

/** Where the API server is on the network of the machines. */
export const API_SERVER = { host: '10.77.0.21', port: '6443' } as const;

/** `cordon serve token` with the file that is applied; for `add` the token. */
export function serveToken(action: 'add' | 'rm', name: string): string {
  const words = ['serve', 'token', action, name, '--tokens', join(APPLIED(), 'deploy/tokens.jsonl')];
  return execFileSync(join(ROOT, 'scripts/run'), words, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();
}
