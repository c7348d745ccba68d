import { lstatSync, rmSync } from 'node:fs';
import { setTimeout as after } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { cordonProgram } from '../support/cordon.ts';
import { begin, ended } from '../support/escape-run.ts';
import { Scene } from '../support/escape-scene.ts';
import { USERS } from '../support/users.ts';

const PLACES = ['.netrc', '.pgpass', '.zsh_history', '.config/gh/hosts.yml', '.vault-token'];
const LAUNCHES = 20;

const launch = (scene: Scene) => ended(begin({ scene, env: {}, starter: [] }, [cordonProgram(), 'run', '--', 'true']));

async function durationOf(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** Takes the files away when this much of a launch is over, and says which of them are there again at its end. */
async function leftBy(scene: Scene, delay: number): Promise<string[]> {
  const places = PLACES.map((place) => scene.file(place));
  const launched = launch(scene);
  await after(delay);
  for (const place of places) rmSync(place, { force: true });
  await launched;
  return PLACES.filter((_, at) => lstatSync(places[at] as string, { throwIfNoEntry: false }) !== undefined);
}

describe.each(USERS)('files that a program of %s takes away while a launch is set up', (user) => {
  it('stay away, whenever that is', async () => {
    const scene = new Scene(user);
    await launch(scene);
    const whole = await durationOf(() => launch(scene));
    const left: Record<string, string[]> = {};
    for (let at = 0; at < LAUNCHES; at++) {
      const found = await leftBy(scene, (whole * at) / LAUNCHES);
      if (found.length > 0) left[`after ${at} of ${LAUNCHES} parts`] = found;
    }
    expect(left).toEqual({});
  });
});
