import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openCopy, ROOT } from '../support/project.ts';
import { Place } from './support.ts';

const POD = openCopy(join(ROOT, 'deploy/pods/pod.yaml'));

async function refused(words: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
  const serving = new Place('cordon-test').start(['serve', '--listen', '127.0.0.1:0', ...words], env);
  expect(await serving.ended).toBe(125);
  return serving.stderr;
}

describe('cordon serve --pods starts nothing', () => {
  it.each([
    [['--pods', POD, '--workspaces', '/srv'], '--pods and --workspaces do not go together'],
    [['--pods', POD, '--in', 'podman:x'], '--pods and --in do not go together'],
    [['--workspaces', '/srv', '--warm-pods', '1'], '--warm-pods needs --pods'],
    [['--pods', POD, '--warm-pods', 'many'], '--warm-pods takes a whole number from 0 to 1000'],
    [['--pods', '/no/such/file'], 'the manifest of a pod cannot be read'],
    [['--pods', POD], 'neither KUBECONFIG nor KUBERNETES_SERVICE_HOST is set'],
  ])('with %j', async (words, why) => {
    expect(await refused(words)).toContain(why);
  });

  it('where nobody answers for the cluster, or the file that names it is none', async () => {
    const place = new Place('cordon-test');
    const config = join(place.home, 'kubeconfig');
    const user = { name: 'u', user: { token: 'x' } };
    const cluster = { name: 'c', cluster: { server: 'https://127.0.0.1:1' } };
    const context = { name: 'x', context: { cluster: 'c', user: 'u' } };
    const whole = { 'current-context': 'x', clusters: [cluster], users: [user], contexts: [context] };
    for (const [text, why] of [
      [whole, 'the API server of Kubernetes cannot be reached (ECONNREFUSED)'],
      [{ ...whole, users: [{ name: 'u', user: { exec: {} } }] }, 'neither a token nor a certificate'],
      [{ ...whole, clusters: [{ name: 'c', cluster: { server: 'http://127.0.0.1:1' } }] }, 'no server with https'],
    ] as const) {
      writeFileSync(config, JSON.stringify(text), { mode: 0o644 });
      expect(await refused(['--pods', POD], { KUBECONFIG: config })).toContain(why);
    }
  });
});
