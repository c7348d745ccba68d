import { pipeline } from 'node:stream/promises';
import type { Bytes } from '../host/bytes.ts';
import { workingFolder } from '../host/folders.ts';
import { type ContainerRequest, launchIn } from '../launch/container/launch-in.ts';
import { refuseUnfit } from '../launch/container/unfit.ts';
import { relaySignals } from '../launch/ending.ts';
import type { LaunchResult } from '../launch/launch.ts';
import { heldBack } from '../launch/prepare.ts';
import type { ContainerTarget } from '../policy/container-target.ts';
import type { Policy } from '../policy/policy.ts';
import type { Redaction } from '../redact/redaction.ts';
import type { CredentialMap } from '../secrets/sources/source.ts';
import type { Context } from './context.ts';
import { credentialsFor } from './credentials.ts';
import { hasFlag, type ParsedArguments, usageError } from './flags.ts';

export interface AskedOfContainer {
  readonly argv: readonly [Bytes, ...Bytes[]];
  readonly policy: Policy;
  readonly quiet: boolean;
  readonly rehearsal: boolean;
  readonly target: ContainerTarget;
}

/** `cordon run --in …` */
export async function runIn(
  { rehearsal, target, ...asked }: AskedOfContainer,
  parsed: ParsedArguments,
  context: Context,
): Promise<number> {
  const unfit = ['--trace', '--plan'].find((flag) => hasFlag(parsed, flag));
  if (unfit !== undefined) throw usageError(`${unfit} does not go with --in`, 'use --dry-run to see what is decided');
  const policy = forContainer(asked.policy);
  const plain = { ...asked, policy, target };
  if (rehearsal)
    return (await import('./container-explain.ts')).rehearse(
      { ...plain, env: context.env, workdir: workingFolder(), record: false },
      parsed,
      context,
    );
  refuseUnfit(policy, target);
  return runContainer({ ...plain, ...(await held(policy, parsed, context)) }, context);
}

/** What is brokered is held back here as outside. */
export async function held(policy: Policy, parsed: ParsedArguments, context: Context, rehearsal = false) {
  const credentials = policy.credentials.length === 0 ? new Map() : await credentialsFor(policy, parsed, context);
  return heldBack(policy, credentials, context.env, { rehearsal, where: 'in an image' });
}

/** That all of the host is there is the default of a tool, which means nothing in an image. */
export function forContainer(policy: Policy): Policy {
  const { filesystem } = policy;
  if (filesystem.preset !== 'all' || filesystem.explicit) return policy;
  return { ...policy, filesystem: { ...filesystem, preset: 'guarded' } };
}

type Started = Pick<ContainerRequest, 'argv' | 'policy' | 'quiet' | 'target' | 'folders' | 'broker'> & {
  readonly credentials?: CredentialMap | undefined;
};

/** This process stays, since what runs inside ends with it. */
export async function runContainer(
  { credentials = new Map(), ...asked }: Started,
  context: Pick<Context, 'env'>,
): Promise<number> {
  const { policy } = asked;
  const onTerminal = process.stderr.isTTY;
  const request = { ...asked, credentials, env: context.env, workdir: workingFolder(), record: true, onTerminal };
  const secrets = [...credentials, ...(asked.broker?.values ?? [])];
  const isRedacted = policy.redact && secrets.length > 0;
  return (await (isRedacted ? startedRedacted(request, secrets) : started(request))).exitCode;
}

async function started(request: ContainerRequest): Promise<LaunchResult> {
  const { child, result } = await launchIn(request);
  const stopRelaying = relaySignals(child);
  return result.finally(stopRelaying);
}

async function startedRedacted(
  request: ContainerRequest,
  secrets: ConstructorParameters<typeof Redaction>[0],
): Promise<LaunchResult> {
  const [{ redactStream }, { Redaction }] = await Promise.all([
    import('../redact/redact-stream.ts'),
    import('../redact/redaction.ts'),
  ]);
  const redaction = new Redaction(secrets);
  const { child, result } = await launchIn(request, { stdout: 'pipe', stderr: 'pipe' });
  const stopRelaying = relaySignals(child);
  const relay = async (from: NodeJS.ReadableStream | null, to: NodeJS.WritableStream) => {
    if (from !== null) await pipeline(from, redactStream(redaction), to, { end: false });
  };
  const shown = [relay(child.stdout, process.stdout), relay(child.stderr, process.stderr)];
  const [ended] = await Promise.all([result, ...shown]).finally(stopRelaying);
  return ended;
}
