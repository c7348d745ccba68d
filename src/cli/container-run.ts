import { pipeline } from 'node:stream/promises';
import { explain } from '../decide/explain.ts';
import { variableAnswer } from '../explain/variables.ts';
import { type Bytes, bytesOfText } from '../host/bytes.ts';
import { workingFolder } from '../host/folders.ts';
import { configuredEnv, engineOf, holdsTogether } from '../launch/container/engine.ts';
import { decideInside, environmentInside, prepareInside } from '../launch/container/inside.ts';
import { type ContainerRequest, launchIn } from '../launch/container/launch-in.ts';
import { placesForContainer } from '../launch/container/places.ts';
import { refuseUnfit } from '../launch/container/unfit.ts';
import { relaySignals } from '../launch/ending.ts';
import type { LaunchResult } from '../launch/launch.ts';
import { heldBack } from '../launch/prepare.ts';
import { type ContainerTarget, targetText } from '../policy/container-target.ts';
import { withProxyVariables } from '../policy/network/rules.ts';
import type { Policy } from '../policy/policy.ts';
import { redactStream } from '../redact/redact-stream.ts';
import { Redaction } from '../redact/redaction.ts';
import type { CredentialMap } from '../secrets/sources/source.ts';
import { type Context, showWarnings } from './context.ts';
import { credentialsFor } from './credentials.ts';
import { hasFlag, type ParsedArguments, usageError } from './flags.ts';
import { answersAsJson, showAnswer } from './ui/answers.ts';
import { decisionGroups, decisionSummary, decisionsAsJson } from './ui/decisions.ts';
import { networkWords } from './ui/rehearsal.ts';

interface Asked {
  readonly argv: readonly [Bytes, ...Bytes[]];
  readonly policy: Policy;
  readonly quiet: boolean;
  readonly rehearsal: boolean;
  readonly target: ContainerTarget;
}

/** `cordon run --in …` */
export async function runIn(
  { rehearsal, target, ...asked }: Asked,
  parsed: ParsedArguments,
  context: Context,
): Promise<number> {
  const unfit = ['--trace', '--plan'].find((flag) => hasFlag(parsed, flag));
  if (unfit !== undefined) throw usageError(`${unfit} does not go with --in`, 'use --dry-run to see what is decided');
  const policy = forContainer(asked.policy);
  const plain = { ...asked, policy, target };
  if (rehearsal)
    return rehearse({ ...plain, env: context.env, workdir: workingFolder(), record: false }, parsed, context);
  refuseUnfit(policy, target);
  return runContainer({ ...plain, ...(await held(policy, parsed, context)) }, context);
}

/** What is brokered is held back here as outside. */
async function held(policy: Policy, parsed: ParsedArguments, context: Context, rehearsal = false) {
  const credentials = policy.credentials.length === 0 ? new Map() : await credentialsFor(policy, parsed, context);
  return heldBack(policy, credentials, context.env, { rehearsal, where: 'in an image' });
}

/** That all of the host is there is the default of a tool, which means nothing in an image. */
function forContainer(policy: Policy): Policy {
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
  const redaction = policy.redact && secrets.length > 0 ? new Redaction(secrets) : undefined;
  return (await (redaction === undefined ? started(request) : startedRedacted(request, redaction))).exitCode;
}

async function started(request: ContainerRequest): Promise<LaunchResult> {
  const { child, result } = await launchIn(request);
  const stopRelaying = relaySignals(child);
  return result.finally(stopRelaying);
}

async function startedRedacted(request: ContainerRequest, redaction: Redaction): Promise<LaunchResult> {
  const { child, result } = await launchIn(request, { stdout: 'pipe', stderr: 'pipe' });
  const stopRelaying = relaySignals(child);
  const relay = async (from: NodeJS.ReadableStream | null, to: NodeJS.WritableStream) => {
    if (from !== null) await pipeline(from, redactStream(redaction), to, { end: false });
  };
  const shown = [relay(child.stdout, process.stdout), relay(child.stderr, process.stderr)];
  const [ended] = await Promise.all([result, ...shown]).finally(stopRelaying);
  return ended;
}

/** What would be decided, from what the engine says of the image; nothing is started. */
async function rehearse(asked: ContainerRequest, parsed: ParsedArguments, context: Context): Promise<number> {
  const { target } = asked;
  refuseUnfit(asked.policy, target);
  // Values that would have to be fetched are no part of a decision, unless placeholders are made of them.
  const request = isBrokering(asked.policy)
    ? { ...asked, ...(await held(asked.policy, parsed, context, true)) }
    : { ...asked, policy: withoutCredentials(asked.policy) };
  const { policy } = request;
  const engine = await engineOf(target, context.env);
  const block = await configuredEnv(engine, target);
  const places = await placesForContainer(request);
  const { decisions } = prepareInside(request, { block, places, together: holdsTogether(engine) });
  if (hasFlag(parsed, '--json')) {
    const binds = places.binds.map(({ path, writable }) => ({ path, writable }));
    context.out(
      `${JSON.stringify({ in: targetText(target), network: policy.network.mode, decisions: decisionsAsJson(decisions), binds }, null, 2)}\n`,
    );
    return 0;
  }
  showWarnings(policy.warnings, context);
  context.out(`${decisionGroups(decisions, context)}\n${decisionSummary(decisions)}\n`);
  const shown = places.binds.map(({ path, writable }) => `${path}${writable ? '' : ' (read-only)'}`).join(', ');
  const network = networkWords(policy.network);
  context.out(
    `in         ${targetText(target)}\nof the host ${shown === '' ? 'nothing' : shown}\nnetwork    ${network}\n`,
  );
  return 0;
}

/** The variables of a command in a container; its files are those of the image and what is bound. */
export async function explainIn(
  { policy: asked, target }: Pick<Asked, 'policy' | 'target'>,
  parsed: ParsedArguments,
  context: Context,
): Promise<number> {
  const policy = withProxyVariables(forContainer(asked));
  refuseUnfit(policy, target);
  const odd = parsed.rest?.[0] ?? parsed.words.find((word) => /[/.]/.test(word));
  if (odd !== undefined)
    throw usageError('explain --in tells of variables only', 'cordon run --in … --dry-run shows what else is there');
  const block = await configuredEnv(await engineOf(target, context.env), target);
  const request = { policy, env: context.env, argv: [bytesOfText('sh')] as const, workdir: workingFolder(), target };
  const inside = environmentInside(block, context.env, await placesForContainer(request));
  const decided = decideInside(policy, inside);
  const decisions =
    parsed.words.length === 0
      ? decided
      : parsed.words.flatMap(
          (word) => decided.find(({ name }) => name === word) ?? explain(policy, inside.env, [word]),
        );
  const answers = decisions.map((decision) => variableAnswer(decision, inside.env));
  if (hasFlag(parsed, '--json')) context.out(`${JSON.stringify(answersAsJson(answers), null, 2)}\n`);
  else if (parsed.words.length > 0) context.out(answers.map((answer) => showAnswer(answer, context)).join(''));
  else context.out(`${decisionGroups(decisions, context)}\n${decisionSummary(decisions)}`);
  return 0;
}

const isBrokering = ({ credentials, ssh, logIns }: Policy) =>
  ssh !== undefined || logIns !== undefined || credentials.some(({ broker }) => broker !== undefined);

const withoutCredentials = (policy: Policy): Policy => ({ ...policy, credentials: [] });
