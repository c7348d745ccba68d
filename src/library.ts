import { bytesOfText } from './host/bytes.ts';
import { workingFolder } from './host/folders.ts';
import { ParentEnv } from './host/parent-env.ts';
import { type Prepared, prepare as prepareBytes } from './launch/prepare.ts';
import { DEFAULT_POLICY, type Policy } from './policy/policy.ts';
import type { Secret } from './secrets/secret.ts';

/** One command line, and what it may have. */
export interface PrepareOptions {
  /** The command and its arguments as text. */
  readonly argv: readonly [string, ...string[]];
  /** The environment to choose from. Nothing is read that isn't given. */
  readonly env: ParentEnv | Readonly<Record<string, string | undefined>>;
  readonly policy?: Partial<Policy>;
  readonly workdir?: string;
  /** Values for the credentials the policy names, by target. */
  readonly credentials?: Readonly<Record<string, Secret>>;
  /** Write an audit record into Cordon's state folder; off unless asked for. */
  readonly record?: boolean;
}

/** decide → seal → plan for one command line, as text. */
export function prepare({
  argv,
  env,
  policy = {},
  workdir = workingFolder(),
  credentials = {},
  record = false,
}: PrepareOptions): Prepared {
  const [name, ...args] = argv;
  return prepareBytes({
    policy: { ...DEFAULT_POLICY, ...policy },
    env: env instanceof ParentEnv ? env : ParentEnv.fromRecord(env),
    argv: [bytesOfText(name), ...args.map(bytesOfText)],
    workdir,
    credentials: new Map(Object.entries(credentials).map(([target, value]) => [bytesOfText(target), value])),
    record,
  });
}
