import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Adapter } from '../../agents/adapter.ts';
import { chunksOf, Lines } from '../../agents/lines.ts';
import { type AgentOutcome, runAgent } from '../../agents/run.ts';
import { type StartedAgent, startRenderer } from '../../agents/spawn.ts';
import { safeOutput } from '../../agents/view.ts';
import { CordonError } from '../../host/errors.ts';
import { relaySignals } from '../../launch/ending.ts';
import { heldBack } from '../../launch/prepare.ts';
import { taskFromFlags } from '../agent-task.ts';
import { type Context, showWarnings } from '../context.ts';
import { credentialsFor } from '../credentials.ts';
import { flagValues, hasFlag, type ParsedArguments, textValue, usageError } from '../flags.ts';
import { isQuiet, targetOf } from '../start-policy.ts';
import { showError } from '../ui/show-error.ts';
import type { AgentSubcommand } from './agent.ts';

/** As timeout(1) has it. */
const TIMED_OUT = 124;

/** Starts the agent, shows what it does as it happens, and returns its exit code. */
export const run: AgentSubcommand['run'] = async (parsed, context) => {
  const limit = timeLimitOf(parsed);
  const task = await taskFromFlags(parsed, context);
  const target = await targetOf(parsed, context);
  const { policy, credentials, broker } = await heldBack(
    task.policy,
    await credentialsFor(task.policy, parsed, context),
    context.env,
    { where: target === undefined ? 'here' : 'in an image' },
  );
  const afterwards: (() => void)[] = [];
  const outcome = await runAgent(
    {
      ...{ ...task, policy, credentials, broker, record: true, target },
      ...{ quiet: isQuiet(parsed, context), onTerminal: process.stderr.isTTY },
    },
    {
      timeoutMs: limit === undefined ? undefined : limit * 1000,
      onStart: ({ child, prepared }) => {
        afterwards.push(relaySignals(child));
        showWarnings(prepared.warnings, context);
      },
      readOutput: (stdout, started) => showOutput(stdout, started, { adapter: task.adapter, parsed, context }),
      readErrors: showErrors,
    },
  ).finally(() => {
    for (const act of afterwards) act();
  });
  return verdict(outcome, { adapter: task.adapter, limit, context });
};

interface Shown {
  readonly adapter: Adapter;
  readonly parsed: ParsedArguments;
  readonly context: Context;
}

/** Events go through untouched with --json; so does plain output that no person sees at once. */
async function showOutput(stdout: Readable, started: StartedAgent, { adapter, parsed, context }: Shown): Promise<void> {
  const untouched = hasFlag(parsed, '--json') || (adapter.format === 'text' && !process.stdout.isTTY);
  if (untouched) return relay(stdout, process.stdout);
  const renderer = startRenderer(started.prepared, adapter.format, { env: context.env, colours: context.colour.out });
  await relay(stdout, renderer.child.stdin as NodeJS.WritableStream);
  renderer.child.stdin?.end();
  await renderer.result;
}

/** A reader that went away closes the agent's end too, as it would have without us. */
async function relay(from: Readable, to: NodeJS.WritableStream): Promise<void> {
  try {
    await pipeline(from, to, { end: false });
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!['EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED'].includes(code)) throw error;
    from.destroy();
  }
}

async function showErrors(stderr: Readable): Promise<void> {
  if (!process.stderr.isTTY) return relay(stderr, process.stderr);
  const lines = new Lines();
  for await (const chunk of chunksOf(stderr))
    for (const line of lines.add(chunk)) process.stderr.write(`${safeOutput(line)}\n`);
  for (const line of lines.end()) process.stderr.write(`${safeOutput(line)}\n`);
}

interface Ending {
  readonly adapter: Adapter;
  readonly limit: number | undefined;
  readonly context: Context;
}

/** The agent's own exit code, with a word on what it means where it means something to the person. */
function verdict({ exitCode, reason, notLoggedIn }: AgentOutcome, { adapter, limit, context }: Ending): number {
  const said = (message: string, hint: string | undefined, code = exitCode) =>
    showError(new CordonError('agent', message, { hint, exitCode: code }), context);
  if (reason === 'timeout')
    return said(`${adapter.name} was ended after ${limit} s`, 'give it longer with --timeout SECONDS', TIMED_OUT);
  if (notLoggedIn) return said(`${adapter.name} is not logged in`, adapter.logIn);
  if (exitCode > 128 && exitCode < 160) return said(`${adapter.name} was ended by signal ${exitCode - 128}`, undefined);
  if (exitCode !== 0 && adapter.format !== 'text')
    return said(`${adapter.name} ended with exit code ${exitCode}`, undefined);
  return exitCode;
}

function timeLimitOf(parsed: ParsedArguments): number | undefined {
  const given = flagValues(parsed, '--timeout').at(-1);
  if (given === undefined) return undefined;
  const text = textValue(given, '--timeout');
  if (!/^\d{1,6}(\.\d{1,3})?$/.test(text) || Number(text) === 0)
    throw usageError(`--timeout needs seconds, not '${text}'`);
  return Number(text);
}
