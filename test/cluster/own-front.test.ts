import { describe, expect, test } from 'vitest';
import { ownValue } from '../mcp/support.ts';
import { eventually } from './kubernetes.ts';
import { ownFront, ownPods } from './own-front.ts';
import { inUsersPod } from './users-pods.ts';

const namesOf = async () => (await ownPods()).map(({ metadata }) => metadata.name as string);

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
