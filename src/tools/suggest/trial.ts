import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { Bytes } from '../../host/bytes.ts';
import type { ParentEnv } from '../../host/parent-env.ts';
import { launch } from '../../launch/launch.ts';
import { prepare } from '../../launch/prepare.ts';
import { Pattern } from '../../policy/pattern.ts';
import { DEFAULT_POLICY, type Policy } from '../../policy/policy.ts';

/** What a run came to: enough to compare, nothing to leak. */
export interface Trace {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Trial {
  readonly env: ParentEnv;
  readonly argv: readonly [Bytes, ...Bytes[]];
  readonly workdir: string;
}

/** Runs the command with these variables and no others, as its shim would; undefined when it took too long. */
export async function tryWith(trial: Trial, names: readonly Bytes[], limitMs: number): Promise<Trace | undefined> {
  const { plan } = prepare({ ...trial, policy: exactly(names), record: false });
  const limit = AbortSignal.timeout(limitMs);
  const { child, result } = launch(plan, { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe', signal: limit });
  const [stdout, stderr, { exitCode }] = await Promise.all([digest(child.stdout), digest(child.stderr), result]);
  return limit.aborted ? undefined : { exitCode, stdout, stderr };
}

export function exactly(names: readonly Bytes[]): Policy {
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
