import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
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

/** What takes ten seconds on free cores may take a minute on busy ones; only what never comes takes all of it. */
export const eventually = <T>(look: () => T | Promise<T>) => vi.waitFor(look, { timeout: 180_000, interval: 250 });

/** A folder for this run. */
const folder = (): string => process.env.CORDON_TEST_FOLDER as string;

/** What is applied: deploy/, with what this Kubernetes needs changed. */
export const APPLIED = () => join(folder(), 'applied');
export const apply = () => kubectl('apply', '--server-side', '--kustomize', APPLIED());

/** The same for deploy/pods. */
export const PODS_APPLIED = () => join(folder(), 'applied-pods');
export const applyPods = () => kubectl('apply', '--server-side', '--kustomize', PODS_APPLIED());

/** Which 1.N it is. */
export const minorVersion = async (): Promise<number> =>
  Number.parseInt(JSON.parse(await kubectl('version', '--output', 'json')).serverVersion.minor, 10);

/** Namespaces that were not there, and what removes them with all that tests make in them; machines that end take them along. */
export async function makeNamespaces(...names: string[]): Promise<() => Promise<unknown>> {
  for (const name of names)
    await kubectl('create', 'namespace', name).catch(({ message }: Error) => {
      throw new Error(
        `${message}\nA namespace that is there is left alone: what an earlier run has left has to be deleted first.`,
      );
    });
  if (process.env.CORDON_TEST_CLUSTER === undefined) return async () => undefined;
  return () => kubectl('delete', 'namespace', ...names, '--ignore-not-found');
}

/** `cordon serve token` with the file that is applied; for `add` the token. */
export function serveToken(action: 'add' | 'rm', name: string): string {
  const words = ['serve', 'token', action, name, '--tokens', join(APPLIED(), 'deploy/tokens.jsonl')];
  return execFileSync(join(ROOT, 'scripts/run'), words, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();
}
