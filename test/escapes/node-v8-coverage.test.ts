import { describe, expect, it } from 'vitest';
import { launching, nodeProgram, spawning } from '../support/escape-library.ts';
import { Scene } from '../support/escape-scene.ts';
import { USERS } from '../support/users.ts';

const ENV = ['/usr/bin/env'];

// Node adds NODE_V8_COVERAGE to a child's environment by itself, and coverage holds the source of what runs.
describe.each(USERS)('NODE_V8_COVERAGE of a Node parent, as %s', (user) => {
  const variables = (scene: Scene) => ({ NODE_V8_COVERAGE: `${scene.home}/${scene.canary}` });

  it('does not reach what the library launches', async () => {
    const scene = new Scene(user);
    const { stdout } = await nodeProgram(scene, launching(ENV), variables(scene));
    expect(stdout).toContain('PATH=');
    expect(stdout).not.toContain(scene.canary);
  });

  it('does not without the barrier either', async () => {
    const scene = new Scene(user);
    const policy = `{ ...cordon.DEFAULT_POLICY, isolation: 'filter' }`;
    const { stdout } = await nodeProgram(scene, launching(ENV, policy), variables(scene));
    expect(stdout).toContain('PATH=');
    expect(stdout).not.toContain(scene.canary);
  });

  it('reaches what spawn starts', async () => {
    const scene = new Scene(user);
    expect((await nodeProgram(scene, spawning(ENV), variables(scene))).stdout).toContain(scene.canary);
  });
});
