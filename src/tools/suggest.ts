import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { decide } from '../decide/decide.ts';
import { type Bytes, textOfBytes } from '../host/bytes.ts';
import { CordonError } from '../host/errors.ts';
import type { ParentEnv } from '../host/parent-env.ts';
import { launch } from '../launch/launch.ts';
import { prepare } from '../launch/prepare.ts';
import { Pattern } from '../policy/pattern.ts';
import { DEFAULT_POLICY, type Policy } from '../policy/policy.ts';

export interface Suggestion {
  /** The variables the command needs, as patterns. */
  readonly allow: readonly string[];
  /** How many it could have had. */
  readonly offered: number;
  readonly runs: number;
  /** False when time was up before nothing more could be left out. */
  readonly complete: boolean;
  /** Standard error differs from run to run, so it was not compared. */
  readonly stderrIgnored: boolean;
  readonly exitCode: number;
}

interface Bounds {
  readonly seed: number;
  readonly totalMs: number;
  readonly onProgress?: (runs: number, left: number) => void;
}

/** The smallest set of variables with which the command still does the same, found by trying. */
export async function suggest(trial: Trial, { seed, totalMs, onProgress }: Bounds): Promise<Suggestion> {
  const offered = passable(trial);
  const deadline = Date.now() + totalMs;
  const { wanted, compareStderr, limitMs } = await observe(trial, offered, totalMs);
  let runs = 2;
  let left = offered.length;
  const isEnough = async (names: readonly Bytes[]) => {
    runs += 1;
    onProgress?.(runs, left);
    const got = await tryWith(trial, names, Math.max(1, Math.min(limitMs, deadline - Date.now())));
    return got !== undefined && isSame(got, wanted, compareStderr);
  };
  const isTimeUp = () => Date.now() >= deadline;
  const needed = await shrink(shuffled(offered, seed), {
    isEnough,
    isTimeUp,
    onProgress: (now) => {
      left = now;
    },
  });
  return {
    allow: needed.map(patternOf).sort(),
    offered: offered.length,
    runs,
    complete: !isTimeUp(),
    stderrIgnored: !compareStderr,
    exitCode: wanted.exitCode,
  };
}

/** What an exact rule could pass on; the code-injection list never comes into it. */
function passable({ env }: Trial): Bytes[] {
  const textual = env.names().filter((name) => textOfBytes(name) !== undefined);
  return decide(exactly(textual), env)
    .filter(({ verdict }) => verdict === 'pass')
    .map(({ name }) => name);
}

interface Observed {
  readonly wanted: Trace;
  readonly compareStderr: boolean;
  readonly limitMs: number;
}

/** Twice with everything: what differs there says nothing about variables. */
async function observe(trial: Trial, names: readonly Bytes[], totalMs: number): Promise<Observed> {
  const started = Date.now();
  const first = await tryWith(trial, names, totalMs);
  const took = Date.now() - started;
  const second = first === undefined ? undefined : await tryWith(trial, names, totalMs);
  if (first === undefined || second === undefined) throw tooSlow(totalMs);
  if (!isSame(first, second, false)) throw unsteady();
  return { wanted: first, compareStderr: first.stderr === second.stderr, limitMs: took * 5 + 2000 };
}

function isSame(one: Trace, other: Trace, compareStderr: boolean): boolean {
  return (
    one.exitCode === other.exitCode && one.stdout === other.stdout && (!compareStderr || one.stderr === other.stderr)
  );
}

function unsteady(): CordonError {
  return new CordonError(
    'suggest',
    'two runs with the same variables gave different results, so nothing can be found out by comparing',
    {
      hint: 'choose arguments with which its output and exit code are always the same, for example --version or a check of one file',
    },
  );
}

function tooSlow(totalMs: number): CordonError {
  return new CordonError('suggest', `the command did not end within ${totalMs / 1000} s`, {
    hint: 'give more time with --time SECONDS, or a quicker command',
  });
}

/** A name with a star in it is still one name. */
function patternOf(name: Bytes): string {
  return (textOfBytes(name) ?? name).replace(/[*?[]/g, '[$&]');
}

/** What a run came to: enough to compare, nothing to leak. */
interface Trace {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface Trial {
  readonly env: ParentEnv;
  readonly argv: readonly [Bytes, ...Bytes[]];
  readonly workdir: string;
}

/** Runs the command with these variables and no others, as its shim would; undefined when it took too long. */
async function tryWith(trial: Trial, names: readonly Bytes[], limitMs: number): Promise<Trace | undefined> {
  const { plan } = prepare({ ...trial, policy: exactly(names), record: false });
  const limit = AbortSignal.timeout(limitMs);
  const { child, result } = launch(plan, { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe', signal: limit });
  const [stdout, stderr, { exitCode }] = await Promise.all([digest(child.stdout), digest(child.stderr), result]);
  return limit.aborted ? undefined : { exitCode, stdout, stderr };
}

function exactly(names: readonly Bytes[]): Policy {
  const origin = 'tool suggest';
  return {
    ...DEFAULT_POLICY,
    origin,
    base: { preset: 'none', origin },
    allow: names.map((name) => ({ pattern: Pattern.exactly(name), origin })),
    filesystem: { ...DEFAULT_POLICY.filesystem, preset: 'all' },
  };
}

async function digest(stream: Readable | null): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of stream ?? []) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

/** What to try next is settled by the list and the answers alone, so the same answers lead the same way. */
interface Shrinking<T> {
  /** Whether these alone are enough. */
  readonly isEnough: (some: readonly T[]) => Promise<boolean>;
  readonly isTimeUp: () => boolean;
  readonly onProgress?: (left: number) => void;
}

/**
 * Delta debugging: leaves out ever smaller parts as long as the rest is enough. Nothing in the result can be left out alone, unless time
 * was up.
 */
export async function shrink<T>(all: readonly T[], how: Shrinking<T>): Promise<readonly T[]> {
  if (await how.isEnough([])) return [];
  let left = all;
  let parts = 2;
  while (left.length > 1 && !how.isTimeUp()) {
    const chunks = split(left, Math.min(parts, left.length));
    const smaller = (await firstEnough(chunks, how)) ?? (await firstEnough(complements(left, chunks), how));
    if (smaller === undefined) {
      if (parts >= left.length) return left;
      parts *= 2;
    } else {
      parts = chunks.includes(smaller as T[]) ? 2 : Math.max(2, parts - 1);
      left = smaller;
      how.onProgress?.(left.length);
    }
  }
  return left;
}

async function firstEnough<T>(
  candidates: readonly (readonly T[])[],
  { isEnough, isTimeUp }: Shrinking<T>,
): Promise<readonly T[] | undefined> {
  for (const candidate of candidates) {
    if (isTimeUp()) return undefined;
    if (await isEnough(candidate)) return candidate;
  }
  return undefined;
}

function split<T>(list: readonly T[], parts: number): T[][] {
  return Array.from({ length: parts }, (_, i) =>
    list.slice(Math.floor((i * list.length) / parts), Math.floor(((i + 1) * list.length) / parts)),
  );
}

/** With two chunks each is the other's complement. */
function complements<T>(list: readonly T[], chunks: readonly (readonly T[])[]): T[][] {
  if (chunks.length === 2) return [];
  return chunks.map((chunk) => list.filter((item) => !chunk.includes(item)));
}

/** Fisher and Yates with a small generator of its own: the same seed gives the same order everywhere. */
export function shuffled<T>(list: readonly T[], seed: number): T[] {
  const result = [...list];
  let state = seed >>> 0;
  for (let i = result.length - 1; i > 0; i--) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const j = Math.floor((state / 2 ** 32) * (i + 1));
    [result[i], result[j]] = [result[j] as T, result[i] as T];
  }
  return result;
}
