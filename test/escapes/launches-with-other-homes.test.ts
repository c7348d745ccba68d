import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Running, shim } from '../native/support.ts';
import { planOf } from '../support/escape-run.ts';
import { Scene } from '../support/escape-scene.ts';
import { openFolder } from '../support/project.ts';
import { USERS } from '../support/users.ts';

const lockIn = (plan: string) => plan.split('\n').filter((line) => line.startsWith('lock '));

// All launches of a user meet in the home of the password file. What one of them holds back there, another one that ends must leave.
describe.each(USERS)('launches of %s that differ in HOME, CORDON_HOME and XDG_STATE_HOME', (user) => {
  it('know of each other by one lock', async () => {
    const scene = new Scene(user);
    const places = (more: Readonly<Record<string, string>>) =>
      planOf({ scene, flags: [], env: { HOME: scene.home, ...more }, trial: ['true'] });
    const plans = await Promise.all([
      places({}),
      places({ HOME: scene.folder('other') }),
      places({ CORDON_HOME: scene.folder('cordon') }),
      places({ XDG_STATE_HOME: scene.folder('state') }),
    ]);
    const [first, ...others] = plans.map(lockIn);
    expect(first).toHaveLength(1);
    for (const other of others) expect(other).toEqual(first);
  });
});

describe('a file that one sandbox made and another one holds back too', () => {
  /** Whether it is still there when the one that made it has ended. */
  async function staysBeside(lock: string, otherLock: string, folder: string): Promise<boolean> {
    const started = async (which: string) => {
      const lines = ['allow PATH', `lock ${which}`, `placeholder file ${folder}/.zshenv`];
      const sandbox = new Running(shim({ isolation: 'barrier', lines }), ['-c', 'echo ready; read line']);
      await sandbox.says(/ready/);
      return sandbox;
    };
    const ended = (sandbox: Running) => {
      sandbox.child.stdin.end('\n');
      return sandbox.ended;
    };
    const maker = await started(lock);
    const other = await started(otherLock);
    await ended(maker);
    const stays = existsSync(join(folder, '.zshenv'));
    await ended(other);
    return stays;
  }

  it('stays where both have the same lock', async () => {
    const folder = openFolder('places');
    expect(await staysBeside(`${folder}/lock`, `${folder}/lock`, folder)).toBe(true);
  });

  it('would be anybody’s to plant where they have two', async () => {
    const folder = openFolder('places');
    expect(await staysBeside(`${folder}/lock`, `${folder}/another`, folder)).toBe(false);
  });
});
