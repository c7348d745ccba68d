import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { inTurn } from '../../bench/mcp/http-load.ts';
import { Replicas } from '../mcp/replica-support.ts';
import { ownValue } from '../mcp/support.ts';

/** The more the better: .ci/run has a few minutes for all of this. */
const PEOPLE = Number(process.env.CORDON_TEST_PEOPLE ?? 20);
const EACH = 5;
const AT_ONCE = 8;
const LIMIT_MS = 150_000 + PEOPLE * 2000;
const NAMES = Array.from({ length: PEOPLE }, (_, i) => `user${i}`);

/** Not run: so it was said. Unknown: so it was said, or the connection broke. */
type Fate = 'done' | 'not run' | 'unknown';
type Phase = 'before' | 'during' | 'after';

interface Made {
  readonly number: number;
  readonly name: string;
  readonly fate: Fate;
  readonly phase: Phase;
  readonly ms: number;
}

class Load {
  readonly #replicas: Replicas;
  readonly #sessions = new Map<string, string>();
  readonly made: Made[] = [];
  phase: Phase = 'before';

  constructor(replicas: Replicas) {
    this.#replicas = replicas;
  }

  /** As clients do: a session that is not found is opened anew. */
  async #session(key: string, name: string, at: number): Promise<string> {
    const known = this.#sessions.get(key);
    if (known !== undefined) return known;
    const id = await this.#replicas.open(name, at);
    if (!id.startsWith('none')) this.#sessions.set(key, id);
    return id;
  }

  /** Values first, then a line that tells that it ran. */
  async call(number: number): Promise<void> {
    const name = NAMES[number % PEOPLE] as string;
    const key = `${name} ${Math.floor(number / PEOPLE) % EACH}`;
    const [at, phase, started] = [number % 2, this.phase, performance.now()];
    const fate = await this.#fateOf(number, name, key, at);
    this.made.push({ number, name, fate, phase, ms: performance.now() - started });
  }

  async #fateOf(number: number, name: string, key: string, at: number): Promise<Fate> {
    try {
      const id = await this.#session(key, name, at).catch(() => 'none: not reached');
      if (id.startsWith('none')) return 'not run';
      const command = `echo "$OWN_KEY"; echo ${number} >> ran`;
      const { status, text, output } = await this.#replicas.call(name, id, command, at);
      if (output !== undefined) return checked(output, name);
      if (status === 404) this.#sessions.delete(key);
      return /unknown whether/.test(text) ? 'unknown' : 'not run';
    } catch (error) {
      const { cause } = error as { cause?: { code?: string } };
      if (error instanceof WrongValue) throw error;
      return cause?.code === 'ECONNREFUSED' ? 'not run' : 'unknown';
    }
  }
}

class WrongValue extends Error {}

function checked(output: string, name: string): Fate {
  if (output !== ownValue(name)) throw new WrongValue(`${name} was given ${output}`);
  return 'done';
}

const ranOf = (replicas: Replicas, name: string) => {
  try {
    return readFileSync(join(replicas.place.workspaceOf(name), 'ran'), 'utf8')
      .trim()
      .split('\n')
      .map(Number);
  } catch {
    return [];
  }
};

function figures(made: readonly Made[], phase: Phase, seconds: number) {
  const of = made.filter((one) => one.phase === phase);
  const done = of.filter(({ fate }) => fate === 'done').map(({ ms }) => ms);
  const at = (part: number) => Math.round(done.toSorted((a, b) => a - b)[Math.floor(done.length * part)] ?? 0);
  const count = (fate: Fate) => of.filter((one) => one.fate === fate).length;
  return {
    ...{ phase, done: done.length, notRun: count('not run'), unknown: count('unknown') },
    ...{ perSecond: Math.round(done.length / seconds), median: at(0.5), p95: at(0.95) },
  };
}

describe(`${PEOPLE} users with ${EACH} sessions each over two servers`, () => {
  test(
    'one restart after the other: no other’s value, nothing reported that was not, nothing without a word',
    async () => {
      const more = ['--drain', '20', '--max-rate', '100000'];
      const replicas = await new Replicas('cordon-test', NAMES, { more }).startAll();
      const load = new Load(replicas);
      let next = 0;
      const run = async (phase: Phase, isOver: () => boolean) => {
        load.phase = phase;
        const [started, first] = [performance.now(), next];
        await Promise.all(
          Array.from({ length: AT_ONCE }, async () => {
            while (!isOver()) await load.call(next++);
          }),
        );
        expect(next).toBeGreaterThan(first);
        return figures(load.made, phase, (performance.now() - started) / 1000);
      };
      await inTurn(PEOPLE * EACH, AT_ONCE, () => load.call(next++));
      load.made.length = 0;
      const opened = next;
      const before = await run('before', () => next >= opened + PEOPLE * EACH);
      let isBack = false;
      const restarted = (async () => {
        for (const number of [0, 1]) {
          replicas.server(number).child.kill('SIGTERM');
          expect(await replicas.server(number).ended).toBe(0);
          await replicas.start(number);
        }
        isBack = true;
      })();
      const during = await run('during', () => isBack);
      await restarted;
      const began = next;
      const after = await run('after', () => next >= began + PEOPLE * EACH * 2);
      console.log(JSON.stringify({ people: PEOPLE, sessions: PEOPLE * EACH, before, during, after }));

      for (const name of NAMES) {
        const ran = ranOf(replicas, name);
        expect(new Set(ran).size).toBe(ran.length);
        for (const { number, fate } of load.made.filter((one) => one.name === name))
          if (fate !== 'unknown') expect([number, fate, ran.includes(number)]).toEqual([number, fate, fate === 'done']);
      }
      expect(before).toMatchObject({ notRun: 0, unknown: 0 });
      expect(during.done).toBeGreaterThan(0);
      // Sessions of a server that was restarted are not found once each, and then opened anew.
      expect(after.unknown).toBe(0);
      expect(load.made.slice(-PEOPLE).every(({ fate }) => fate === 'done')).toBe(true);
    },
    LIMIT_MS,
  );
});
