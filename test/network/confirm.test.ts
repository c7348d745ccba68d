import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { confirmer } from '../../src/network/confirm.ts';
import { type Pending, pendingIn, say, type Word } from '../../src/network/pending.ts';
import { openFolder } from '../support/project.ts';

const HOST = { name: 'platform.example.com', port: 443 };

/** A launch whose person answers in another terminal: its own can't be opened. */
function launch() {
  const state = openFolder('state');
  const confirm = confirmer({ terminal: { path: '/nowhere', device: 0 }, state, launch: 'test', ms: 30_000 });
  const asked = async (): Promise<Pending> => {
    for (;;) {
      const [first] = pendingIn(state);
      if (first !== undefined) return first;
      await setImmediate();
    }
  };
  return {
    logIn: (isWaiting: boolean) => confirm('claude', HOST, () => isWaiting),
    answer: async (word: Word) => say(state, (await asked()).id, word),
  };
}

test('a person’s word is good for one log-in', async () => {
  const { logIn, answer } = launch();
  const first = logIn(true);
  await answer('once');
  expect(await first).toBe(true);
  const second = logIn(true);
  await answer('no');
  expect(await second).toBe(false);
});

test('one that came too late is good for the next try, and no more', async () => {
  const { logIn, answer } = launch();
  const late = logIn(false);
  await answer('once');
  expect(await late).toBe(true);
  expect(await logIn(true)).toBe(true);
  const third = logIn(true);
  await answer('no');
  expect(await third).toBe(false);
});
