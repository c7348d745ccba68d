import { describe, expect, it } from 'vitest';
import { DONE, leaked, planted } from '../../prove/attempt.ts';
import type { Probe } from '../../prove/probe.ts';
import type { Off } from './escape-off.ts';
import { type Attempt, type TrialOutcome, throughCordon } from './escape-run.ts';
import { Scene } from './escape-scene.ts';
import { ONLY_ROOT, USERS, type User } from './users.ts';

/** What only the tests say about a probe. */
export interface Escape {
  readonly flags?: readonly string[];
  /** The same without its protection, where it must work. A text says why it can't for this user, protection or not. */
  readonly off: Off | Readonly<Record<User, Off | string>>;
  /** Sharper than the probe's own, where the kernel alone stops on this machine what the protection stops everywhere. */
  readonly worked?: Probe['worked'];
}

const PATIENCE_MS = 30_000;

/** Declares one way out: it must not work, for any user, and must work when its protection is switched off. */
export function wayOut(probe: Tried, way: Escape): void {
  const judged = { ...probe, ...(way.worked === undefined ? {} : { worked: way.worked }) };
  describe(probe.title, () => {
    it.each(usersOf(way))(
      'is stopped for %s',
      async (user) => {
        const attempt = await prepared(probe, user, way.flags);
        const outcome = await throughCordon(attempt);
        expect(outcome.stdout, told(outcome)).toContain(DONE);
        expect(leaked(judged, attempt.scene, outcome), told(outcome)).toBe(false);
      },
      PATIENCE_MS,
    );
    opensWithout(judged, way);
  });
}

/** The half that test/prove does not try: without the very protection that holds it, it works. */
export function opensWithout(probe: Tried, way: Escape): void {
  for (const user of usersOf(way)) {
    const off = offFor(user, way);
    if (typeof off === 'string') continue;
    it(
      `${probe.title}: works for ${user} without ${off.without}`,
      async () => {
        const attempt = await prepared(probe, user, way.flags);
        const outcome = await off.run(attempt);
        expect(leaked(probe, attempt.scene, outcome), told(outcome)).toBe(true);
      },
      PATIENCE_MS,
    );
  }
}

const offFor = (user: User, { off }: Escape) => ('run' in off ? off : off[user]);

/** What not even its lack of protection lets the ordinary user do is always tried by root. */
function usersOf(way: Escape): readonly User[] {
  const isFor = USERS.some((user) => typeof offFor(user, way) !== 'string');
  return isFor ? USERS : [...ONLY_ROOT, 'cordon-test'];
}

/** A probe of `cordon prove`, or one that only the tests can try: it needs no more than this. */
type Tried = Omit<Probe, 'id' | 'gives' | 'planted' | 'tried' | 'reference' | 'promise'>;

async function prepared(probe: Tried, user: User, flags: readonly string[] = []): Promise<Attempt> {
  const scene = new Scene(user);
  return { ...(await planted(probe, scene)), scene, flags };
}

const told = ({ code, stdout, stderr }: TrialOutcome) =>
  `exit code ${code}\n${stdout.slice(-4000)}\n${stderr.slice(-4000)}`;
