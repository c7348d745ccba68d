import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DEFAULT_POLICY, openSession } from '../../src/index.ts';
import { NETWORK_ON } from '../../src/policy/network/rules.ts';
import { checkShared } from '../../src/sessions/index.ts';
import { freshHome } from '../support/cordon.ts';

/** What is known before any engine is asked; what calls get inside is in test/containers/sessions.test.ts. */
describe('the container of a session', () => {
  const opened = (target: string, profile: Partial<typeof DEFAULT_POLICY> = {}) => {
    const home = freshHome('root');
    const workspace = join(home, 'work');
    mkdirSync(workspace);
    const env = { HOME: home, PATH: join(home, 'nothing') };
    return openSession({ user: 'greg', workspace, env, in: target, profile: { ...DEFAULT_POLICY, ...profile } });
  };

  const session = { limits: {}, path: [], blockedHosts: [] };

  it.each([
    ['lxc:x', {}, "in of a session does not know 'lxc:x'"],
    ['podman:--privileged', {}, 'does not know'],
    ['container:x', {}, 'a session has a container of its own for each call'],
    [
      'podman:x',
      { filesystem: { ...DEFAULT_POLICY.filesystem, workspace: { mode: 'aside' as const } } },
      'lost with it',
    ],
    ['podman:x', { session: { ...session, network: NETWORK_ON } }, 'there is no podman on this machine'],
    ['docker:x', {}, 'there is no docker on this machine'],
  ])('%s is refused before there is a session: %#', async (target, profile, words) => {
    await expect(opened(target, profile)).rejects.toThrow(words);
  });

  it('is looked at when a server starts', async () => {
    const env = { HOME: freshHome('root'), PATH: '/nowhere' };
    await expect(checkShared({ env, in: 'podman:x' })).rejects.toThrow('there is no podman on this machine');
  });
});
