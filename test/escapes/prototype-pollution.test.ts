import { describe, expect, it } from 'vitest';
import { launching, nodeProgram, spawning } from '../support/escape-library.ts';
import { Scene } from '../support/escape-scene.ts';
import { USERS } from '../support/users.ts';

const ENV = ['/usr/bin/env'];

// A library elsewhere in the process was tricked into writing to Object.prototype, which plain objects inherit from.
const POLLUTE = (canary: string) => `
Object.assign(Object.prototype, { POLLUTED: '${canary}', shell: '${canary}', env: { POLLUTED: '${canary}' }, uid: 0, set: [], argv0: '${canary}' });
delete Object.prototype.uid;
`;

describe.each(USERS)('a polluted Object.prototype, as %s', (user) => {
  it.each(['auto', 'filter'])('adds nothing to what the library launches with isolation %s', async (isolation) => {
    const scene = new Scene(user);
    const policy = `{ ...cordon.DEFAULT_POLICY, isolation: '${isolation}', base: { preset: 'all', origin: 'test' } }`;
    const { stdout, stderr } = await nodeProgram(scene, POLLUTE(scene.canary) + launching(ENV, policy));
    expect(stdout, stderr).toContain('PATH=');
    expect(stdout).not.toContain(scene.canary);
  });

  it('adds nothing of its own to buildFilteredEnv', async () => {
    const scene = new Scene(user);
    const script = `${POLLUTE(scene.canary)}
const env = cordon.buildFilteredEnv({ extraKeys: ['POLLUTED', 'toString', '__proto__', 'shell'], env: { PATH: '/bin' } });
console.log(JSON.stringify(Object.entries(env)));`;
    const { stdout, stderr } = await nodeProgram(scene, script);
    expect(stdout, stderr).toBe('[["PATH","/bin"]]\n');
  });

  it('reaches what spawn starts', async () => {
    const scene = new Scene(user);
    const pollute = `Object.prototype.POLLUTED = '${scene.canary}';`;
    expect((await nodeProgram(scene, pollute + spawning(ENV))).stdout).toContain(scene.canary);
  });
});
