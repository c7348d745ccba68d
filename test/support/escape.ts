import { describe, expect, it } from 'vitest';
import type { Off } from './escape-off.ts';
import { type Attempt, type Outcome, SHELL, throughCordon } from './escape-run.ts';
import { Scene } from './escape-scene.ts';
import { USERS, type User } from './users.ts';

/** What the child tries: a script of the shell or of Python, which prints what it gets hold of. */
export type Probe = { readonly sh: string } | { readonly python: string } | { readonly argv: readonly string[] };

export interface Escape {
  /** Puts the secret, the socket or the process where the child goes looking; what it gives back is for the others. */
  readonly plant?: (scene: Scene) => unknown;
  /** More variables of the parent. */
  readonly env?: (scene: Scene) => Readonly<Record<string, string>>;
  readonly flags?: readonly string[];
  readonly starter?: (scene: Scene) => readonly string[];
  readonly starterIsOurs?: boolean;
  readonly probe: (scene: Scene) => Probe;
  /** Whether it worked; else: the canary, or the word LEAKED, is in what the child printed. */
  readonly worked?: (scene: Scene, outcome: Outcome) => boolean;
  /** The same without its protection, where it must work. A text says why it can't for this user, protection or not. */
  readonly off: Off | Readonly<Record<User, Off | string>>;
}

const PATIENCE_MS = 30_000;
const DONE = 'the probe ran to its end';

/** Declares one way out: it must not work, for any user, and must work when its protection is switched off. */
export function wayOut(title: string, way: Escape): void {
  describe(title, () => {
    it.each(USERS)(
      'is stopped for %s',
      async (user) => {
        const attempt = await prepared(way, user);
        const outcome = await throughCordon(attempt);
        expect(outcome.stdout, told(outcome)).toContain(DONE);
        expect(worked(way, attempt, outcome), told(outcome)).toBe(false);
      },
      PATIENCE_MS,
    );
    for (const user of USERS) {
      const off = 'run' in way.off ? way.off : way.off[user];
      if (typeof off === 'string') continue;
      it(
        `works for ${user} without ${off.without}`,
        async () => {
          const attempt = await prepared(way, user);
          const outcome = await off.run(attempt);
          expect(worked(way, attempt, outcome), told(outcome)).toBe(true);
        },
        PATIENCE_MS,
      );
    }
  });
}

async function prepared(way: Escape, user: User): Promise<Attempt> {
  const scene = new Scene(user);
  await way.plant?.(scene);
  return {
    scene,
    flags: way.flags ?? [],
    env: way.env?.(scene) ?? {},
    starter: way.starter?.(scene) ?? SHELL,
    starterIsOurs: way.starterIsOurs,
    probe: probeArgv(way.probe(scene)),
  };
}

function worked({ worked }: Escape, { scene }: Attempt, outcome: Outcome): boolean {
  return worked?.(scene, outcome) ?? (outcome.stdout.includes(scene.canary) || outcome.stdout.includes('LEAKED'));
}

function probeArgv(probe: Probe): readonly string[] {
  if ('argv' in probe) return probe.argv;
  if ('sh' in probe) return ['/bin/sh', '-c', `${probe.sh}\necho '${DONE}'`];
  return ['python3', '-c', `${probe.python}\nprint('${DONE}', flush=True)`];
}

const told = ({ code, stdout, stderr }: Outcome) => `exit code ${code}\n${stdout.slice(-4000)}\n${stderr.slice(-4000)}`;
