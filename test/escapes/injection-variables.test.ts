import { describe, expect, it } from 'vitest';
import { DONE, leaked, planted } from '../../prove/attempt.ts';
import { INJECTION } from '../../prove/probes/injection/index.ts';
import { PLANTED_PROGRAMS } from '../../prove/probes/injection/planted.ts';
import { throughCordon } from '../support/escape-run.ts';
import { Scene } from '../support/escape-scene.ts';
import { USERS } from '../support/users.ts';

const LISTED = INJECTION.filter((probe) => probe.promise === 'environment' && probe !== PLANTED_PROGRAMS);

// With everything else let through: no policy brings these in. That each works without Cordon is tested with all other probes.
describe.each(USERS)('variables that bring code into programs, for %s', (user) => {
  it.each(LISTED.map((probe) => [probe.title, probe] as const))('%s', async (_, probe) => {
    const scene = new Scene(user);
    const attempt = { ...(await planted(probe, scene)), scene, flags: ['--base', 'all'] };
    const outcome = await throughCordon(attempt);
    expect(outcome.stdout, outcome.stderr).toContain(DONE);
    expect(leaked(probe, scene, outcome), outcome.stdout).toBe(false);
  });
});
