import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { addToken, callOf, INITIALIZE, post } from '../mcp/http-support.ts';
import { readCall } from '../mcp/replica-support.ts';
import { ownValue, Place } from '../mcp/support.ts';
import { eventually, PODS_APPLIED } from './kubernetes.ts';
import { inUsersPod, podsOf } from './users-pods.ts';

const namesOf = async () => (await podsOf(hostname().split('.')[0])).map(({ metadata }) => metadata.name as string);

/** A front on this machine, with the cluster as KUBECONFIG says, and what its user calls there. */
async function ownFront(change: (manifest: string) => string, ...flags: string[]) {
  const place = new Place('root');
  const manifest = join(place.home, 'pod.yaml');
  place.write(manifest, change(readFileSync(join(PODS_APPLIED(), 'pods/pod.yaml'), 'utf8')));
  const token = await addToken(place, 'alice');
  const env = { KUBECONFIG: process.env.KUBECONFIG as string };
  const server = place.start(['serve', '--pods', manifest, '--listen', '127.0.0.1:0', ...flags], env);
  const [, origin = ''] = await server.says(/listening on (http:\/\/\S+)\/mcp/);
  const open = async () => {
    const answer = await post({ origin }, token, INITIALIZE);
    await answer.text();
    return answer.headers.get('mcp-session-id') ?? '';
  };
  const call = async (id: string, command: string) => {
    const answer = await post({ origin }, token, callOf(command), { 'mcp-session-id': id });
    return readCall(answer.status, await answer.text());
  };
  return { server, open, call };
}

describe('a front that is started by hand', () => {
  test('removes the pod of a user who does not call, and all of its pods when it ends', async () => {
    const { server, open, call } = await ownFront((text) => text, '--idle', '3', '--warm-pods', '1');
    expect((await call(await open(), 'echo "$OWN_KEY"; touch here')).output).toBe(ownValue('alice'));
    const before = await namesOf();
    await eventually(async () => {
      const left = await namesOf();
      expect(before.filter((name) => !left.includes(name))).toHaveLength(1);
    });
    expect((await call(await open(), 'ls; echo "$OWN_KEY"')).output).toBe(ownValue('alice'));
    server.child.kill('SIGTERM');
    expect(await server.ended).toBe(0);
    await eventually(async () => expect(await namesOf()).toEqual([]));
  });

  test('makes a pod for each user where a volume names the user, and none before', async () => {
    const { server, open, call } = await ownFront((text) =>
      text.replace('mountPath: /workspace }', 'mountPath: /workspace, subPath: "of-{user}" }'),
    );
    expect(await namesOf()).toEqual([]);
    expect((await call(await open(), 'echo "$OWN_KEY"; touch here')).output).toBe(ownValue('alice'));
    const [pod = '', ...others] = await namesOf();
    expect(others).toEqual([]);
    expect(await inUsersPod(pod, 'cat', '/proc/self/mountinfo')).toMatch(/workspace\/of-alice \/workspace /);
    server.child.kill('SIGTERM');
    expect(await server.ended).toBe(0);
  });
});
