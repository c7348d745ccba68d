import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { frames, KIND } from '../../src/launch/pods/frames.ts';
import { uniqueSleep } from '../mcp/support.ts';
import { FRONTS } from './client.ts';
import { eventually, FRONT_NAMESPACE, kubectl, PODS_NAMESPACE } from './kubernetes.ts';
import { HERE, quietSecretOf, secretOf, THERE } from './people.ts';
import { frontOf, inUsersPod, podOf, podsOf } from './users-pods.ts';

const SERVER = 'jsonpath={.clusters[0].cluster.server}';
const LAUNCHER = '/usr/lib/cordon/dist/native/cordon-launch';
const hashOf = (value: string) => createHash('sha256').update(value).digest('hex');

/** Whether a command is among the processes of a pod, with its barrier around it or not. */
const runsIn = async (pod: string, sleep: string) =>
  (await inUsersPod(pod, 'sh', '-c', 'cat /proc/[0-9]*/cmdline 2>/dev/null | tr "\\0" " "')).includes(
    `sleep ${sleep} `,
  );

/** At least as many as the front keeps ready. */
async function somePods(front: string) {
  const pods = (await podsOf(front)).filter(({ status }) => status.phase === 'Running');
  expect(pods.length).toBeGreaterThanOrEqual(2);
  return pods;
}

describe('deploy/pods on a cluster of two nodes', () => {
  test('the front may do with pods what it has to, in their namespace, and nothing else', async () => {
    const account = `--as=system:serviceaccount:${FRONT_NAMESPACE}:cordon-front`;
    const mayDo = async (namespace: string, ...words: string[]) =>
      (await kubectl('--namespace', namespace, 'auth', 'can-i', ...words, account).catch(() => 'no')).trim();
    for (const verb of ['create', 'get', 'list', 'watch', 'delete'])
      expect([verb, await mayDo(PODS_NAMESPACE, verb, 'pods')]).toEqual([verb, 'yes']);
    for (const verb of ['get', 'create'])
      expect([verb, await mayDo(PODS_NAMESPACE, verb, 'pods', '--subresource=exec')]).toEqual([verb, 'yes']);
    for (const verb of ['patch', 'update', 'deletecollection'])
      expect([verb, await mayDo(PODS_NAMESPACE, verb, 'pods')]).toEqual([verb, 'no']);
    for (const what of ['secrets', 'configmaps', 'serviceaccounts', 'persistentvolumeclaims'])
      expect([what, await mayDo(PODS_NAMESPACE, 'get', what)]).toEqual([what, 'no']);
    for (const part of ['attach', 'log', 'portforward', 'ephemeralcontainers'])
      expect([part, await mayDo(PODS_NAMESPACE, 'get', 'pods', `--subresource=${part}`)]).toEqual([part, 'no']);
    for (const what of ['pods', 'secrets'])
      expect([what, await mayDo(FRONT_NAMESPACE, 'get', what)]).toEqual([what, 'no']);
    expect(await mayDo(PODS_NAMESPACE, 'create', 'pods', '--all-namespaces')).toBe('no');
  });

  test('pods wait that nobody has had, with the barrier and without anything of the cluster', async () => {
    await FRONTS.bothServe();
    await eventually(async () => {
      for (const front of ['front-0', 'front-1']) await somePods(front);
    });
    const [{ metadata, spec }] = await podsOf('front-0');
    expect([spec.automountServiceAccountToken, spec.enableServiceLinks]).toEqual([false, false]);
    expect(spec.volumes.map(({ name }: { name: string }) => name)).toEqual(['workspace', 'own']);
    await expect(inUsersPod(metadata.name, 'ls', '/var/run/secrets/kubernetes.io')).rejects.toThrow('No such file');
    const { level } = JSON.parse(await inUsersPod(metadata.name, 'cordon', 'doctor', '--json'));
    expect(level).toBe('barrier');
  });

  test.each([
    [HERE, 0, THERE],
    [THERE, 1, HERE],
  ] as const)('a call of %s has its own values, from either front, in a pod of its own', async (name, at, other) => {
    const origins = await FRONTS.bothServe();
    const warm = (await eventually(() => somePods(frontOf(name)))).map(({ metadata }) => metadata.name);
    const id = await FRONTS.open(name, origins[at]);
    for (const origin of origins) {
      const { output = '' } = await FRONTS.call(name, id, 'echo "$OWN_KEY"; env | cut -d = -f 1', origin);
      expect(output.split('\n')[0]).toBe(secretOf(name));
      expect(output).not.toMatch(/KUBERNETES|CORDON_/);
    }
    const pod = await podOf(name, id, origins[at]);
    expect(warm).toContain(pod);
    // Another session of the same user has the same files; another user has not.
    const [second, others] = [await FRONTS.open(name, origins[at]), await FRONTS.open(other, origins[at])];
    await FRONTS.call(name, id, `echo kept > of-${name}`, origins[at]);
    expect((await FRONTS.call(name, second, `cat of-${name}`, origins[at])).output).toBe('kept');
    expect((await FRONTS.call(other, others, `cat of-${name} 2>/dev/null || echo none`, origins[at])).output).toMatch(
      /none$/,
    );
    expect(await podOf(other, others, origins[at])).not.toBe(pod);
    expect((await FRONTS.call(other, id, 'echo taken', origins[1 - at] as string)).status).toBe(404);
    // What was taken of those that wait is made anew.
    await eventually(async () => {
      const waiting = (await podsOf(frontOf(name))).filter(({ status }) => status.phase === 'Running');
      expect(waiting.length).toBeGreaterThanOrEqual(3);
    });
  });

  test('a call finds no value of anybody else, in no file and no process, and cannot reach the API server', async () => {
    const [origin] = await FRONTS.bothServe();
    const id = await FRONTS.open(HERE, origin);
    const files = 'grep -rsohaE "canary-[0-9a-f]{24}" / --exclude-dir=proc --exclude-dir=sys --exclude-dir=dev';
    const processes = 'cat /proc/[0-9]*/environ 2>/dev/null | tr "\\0" "\\n" | grep -oE "canary-[0-9a-f]{24}"';
    const hashes = 'sort -u | while read -r value; do printf %s "$value" | sha256sum | cut -d " " -f 1; done';
    const { output } = await FRONTS.call(HERE, id, `{ ${files}; ${processes}; } | ${hashes}`, origin);
    expect(output?.split('\n').toSorted()).toEqual([secretOf(HERE), quietSecretOf(HERE)].map(hashOf).toSorted());
    const { hostname, port } = new URL(await kubectl('config', 'view', '--minify', '--output', SERVER));
    const reach = `exec 3<>/dev/tcp/${hostname}/${port} && echo reached; ls /run/cordon`;
    expect((await FRONTS.call(HERE, id, reach, origin)).text).not.toMatch(/reached|owner/);
  });

  test('a pod that had a user takes nobody else, whoever asks', async () => {
    const [origin] = await FRONTS.bothServe();
    const pod = await podOf(HERE, await FRONTS.open(HERE, origin), origin);
    const words = ['--namespace', PODS_NAMESPACE, 'exec', '-i', pod, '--', LAUNCHER, '--relay=/run/cordon'];
    const child = spawn('kubectl', words);
    child.stdin.end(frames(KIND.owner, Buffer.from(hashOf('somebody else'))));
    expect(await text(child.stderr)).toContain('this pod has had another user');
  });

  test('what a call prints comes whole, its exit code too, and it ends with its client', async () => {
    const [origin] = await FRONTS.bothServe();
    const id = await FRONTS.open(HERE, origin);
    const pod = await podOf(HERE, id, origin);
    const many = await FRONTS.call(HERE, id, 'cat; seq 200000 | tee all | wc -c; cksum < all; exit 7', origin);
    expect(many.text).toContain('exit code 7');
    expect(many.output).toMatch(/^1288895\n\d+ 1288895$/);
    const printed = await FRONTS.call(HERE, id, 'cat all; rm all', origin);
    expect(printed.text).toContain('1288895 bytes in 200000 lines');
    const sleep = uniqueSleep();
    const leave = FRONTS.abandon(HERE, id, `(setsid sleep ${sleep} &); sleep ${sleep}`, origin);
    await eventually(async () => expect(await runsIn(pod, sleep)).toBe(true));
    leave();
    await eventually(async () => expect(await runsIn(pod, sleep)).toBe(false));
    expect((await FRONTS.call(HERE, id, 'echo "$OWN_KEY"', origin)).output).toBe(secretOf(HERE));
  });
});
