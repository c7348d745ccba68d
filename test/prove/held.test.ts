import { describe, expect, it } from 'vitest';
import { type Attempt, DONE, leaked, planted, tried } from '../../prove/attempt.ts';
import type { TrialOutcome } from '../../prove/outcome.ts';
import { GROUPS, groupOf, type Probe, type Promised } from '../../prove/probe.ts';
import { PROBES } from '../../prove/probes/index.ts';
import { Scene } from '../../prove/scene.ts';
import { cordonProgram, freshHome } from '../support/cordon.ts';
import { identityOf, USERS, type User } from '../support/users.ts';

/** The weakest policy that makes the promise. */
const FLAGS: Readonly<Record<Promised, readonly string[]>> = {
  environment: [],
  processes: ['--fs', 'all'],
  credentials: [],
  planting: [],
  'own-files': ['--fs', 'all'],
  network: ['--net', 'other.example.test'],
  // What is brokered where is the probe's own.
  broker: [],
  home: ['--fs', 'workspace'],
  nothing: [],
};

const AT_ONCE = 2;
const PATIENCE_MS = 300_000;

describe.each(Object.keys(GROUPS))('the promises about %s', (group) => {
  it.each(USERS)(
    'are kept for %s',
    async (user) => {
      const probes = PROBES.filter((probe) => groupOf(probe) === group);
      expect(probes).not.toEqual([]);
      const verdicts = await inTurns(probes, (probe) => verdictOn(probe, user));
      const wrong = probes.map(({ id }, at) => [id, verdicts[at]]).filter(([, verdict]) => verdict !== AS_PROMISED);
      expect(Object.fromEntries(wrong)).toEqual({});
    },
    PATIENCE_MS,
  );
});

it.each(USERS)(
  'what a list of hosts holds is held with the network off, for %s',
  async (user) => {
    const probes = PROBES.filter(({ promise, hosts }) => promise === 'network' && hosts === undefined);
    const verdicts = await inTurns(probes, (probe) => verdictOn(probe, user, ['--net', 'off']));
    expect(verdicts).toEqual(probes.map(() => AS_PROMISED));
  },
  PATIENCE_MS,
);

const named = ({ hosts }: Attempt) => hosts.flatMap((host) => ['--net', host]);

const AS_PROMISED = 'as promised';

async function verdictOn(probe: Probe, user: User, given?: readonly string[]): Promise<string> {
  const scene = new Scene(freshHome(user), identityOf(user));
  try {
    // Which those are is written down in unprotected.test.ts.
    if (probe.inapplicable?.(scene) !== undefined) return AS_PROMISED;
    const attempt = await planted(probe, scene);
    const argv = [
      cordonProgram(),
      'run',
      ...(given ?? FLAGS[probe.promise]),
      ...Object.entries(attempt.brokered).flatMap(([name, host]) => ['--broker', `${name}@${host}`]),
      ...named(attempt),
      '--',
      ...attempt.trial,
    ];
    return judged(probe, scene, await tried(attempt, { argv }));
  } finally {
    await scene.end();
  }
}

function judged(probe: Probe, scene: Scene, outcome: TrialOutcome): string {
  const { code, stdout, stderr } = outcome;
  const told = `exit code ${code}\n${stdout.slice(-2000)}\n${stderr.slice(-2000)}`;
  if (!('argv' in probe.trial(scene)) && !stdout.includes(DONE)) return `did not run to its end: ${told}`;
  const isOpen = leaked(probe, scene, outcome);
  // What nobody promises is open indeed, or it deserves a promise. Root without capabilities may be worse off than others.
  const mayBeOpen = probe.promise === 'nothing';
  const mustBeOpen = mayBeOpen && scene.uid !== 0;
  return (isOpen ? mayBeOpen : !mustBeOpen) ? AS_PROMISED : `${isOpen ? 'leaked' : 'is held'}: ${told}`;
}

/** Two at a time: a sandbox waits for the disk as much as for the processor. */
async function inTurns<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const waiting = [...items.entries()];
  const worker = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) results[next[0]] = await work(next[1]);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return results;
}
