import { readFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Adapter } from '../../agents/adapter.ts';
import { type AgentTask, readyTask } from '../../agents/command.ts';
import { chunksOf, Lines } from '../../agents/lines.ts';
import { type AgentState, agentStates } from '../../agents/login.ts';
import { type AgentOutcome, runAgent } from '../../agents/run.ts';
import { type StartedAgent, startRenderer } from '../../agents/spawn.ts';
import { shellWords } from '../../agents/template.ts';
import { safeOutput } from '../../agents/view.ts';
import { explain } from '../../decide/explain.ts';
import { type Bytes, bytesOfBuffer, showBytes, showText } from '../../host/bytes.ts';
import { CordonError } from '../../host/errors.ts';
import { relaySignals } from '../../launch/ending.ts';
import { heldBack } from '../../launch/prepare.ts';
import { agentConfig, agentNamed } from '../agent-policy.ts';
import { AGENT_FLAGS } from '../command-flags.ts';
import type { CommandModule } from '../commands.ts';
import { type Context, print, showWarnings } from '../context.ts';
import { credentialsFor } from '../credentials.ts';
import {
  chosen,
  flagValues,
  hasFlag,
  numberOf,
  type ParsedArguments,
  parseArguments,
  UnknownFlag,
  usageError,
} from '../flags.ts';
import { workdirOf } from '../policy-flags.ts';
import { IN_FLAG } from '../run-flags.ts';
import { isQuiet, policyForAgent, policyFromFlags, targetOf } from '../start-policy.ts';
import { decisionGroups, decisionSentence, decisionSummary, decisionsAsJson } from '../ui/decisions.ts';
import { showError } from '../ui/show-error.ts';
import { table } from '../ui/table.ts';

/** The words are those after the name of the subcommand. */
type Subcommand = (parsed: ParsedArguments, context: Context) => Promise<number> | number;

export const run: CommandModule['run'] = async (args, context) => {
  const [name, ...rest] = args;
  const subcommand = chosen('cordon agent', name, { list, run: runTask, env, command });
  const parsed = parsedArguments(rest);
  if (name !== 'run' && hasFlag(parsed, IN_FLAG.name)) throw usageError('--in goes with agent run', 'leave it out');
  return subcommand(withAgentFlag(parsed), context);
};

function parsedArguments(args: readonly Bytes[]): ParsedArguments {
  try {
    return parseArguments(protectPrompt(args), { flags: AGENT_FLAGS });
  } catch (error) {
    if (!(error instanceof UnknownFlag)) throw error;
    throw usageError(
      error.message,
      [error.hint ?? 'see cordon agent --help', 'a prompt that begins with - comes after --'].join('; '),
    );
  }
}

/** No flag has white space in its name, so what begins with - and has some is a prompt. */
function protectPrompt(args: readonly Bytes[]): readonly Bytes[] {
  const at = args.findIndex((arg) => arg === '--' || /^-[^=]*\s/.test(arg));
  return at === -1 || args[at] === '--' ? args : [...args.slice(0, at), '--' as Bytes, ...args.slice(at)];
}

/** The agent's name is the first word; what comes from flags asks for it as `--agent`. */
function withAgentFlag(parsed: ParsedArguments): ParsedArguments {
  const [name, ...words] = [...parsed.words, ...(parsed.rest ?? [])];
  if (parsed.flags.some((flag) => flag.name === '--agent'))
    throw usageError('the agent is named without --agent here', 'cordon agent run NAME PROMPT');
  const flags = name === undefined ? parsed.flags : [...parsed.flags, { name: '--agent', value: name }];
  return { flags, words, rest: undefined };
}

const list: Subcommand = async (parsed, context) => {
  if (flagValues(parsed, '--agent').length > 0) throw usageError('agent list takes no words');
  const states = await agentStates(agentConfig(context), context.env);
  return print(parsed, context, states.map(stateAsJson), () => agentTable(states, context));
};

const stateAsJson = (state: AgentState) => ({ ...state, installed: state.path !== null });

function agentTable(states: readonly AgentState[], context: Context): string {
  return table(
    {
      titles: ['NAME', 'INSTALLED', 'VERSION', 'LOGGED IN', 'KEYS SET', 'NOT SET'],
      fold: ['VERSION', 'KEYS SET', 'NOT SET'],
      rows: states.map((state) => cellsOf(state).map(showText)),
      style: (row, column) => (column === 0 && states[row]?.path !== null ? 'green' : undefined),
    },
    context,
  );
}

function cellsOf({ name, path, version, loggedIn, keys }: AgentState): string[] {
  const names = (wanted: boolean) => keys.filter(({ set }) => set === wanted).map((key) => key.name);
  return [
    name,
    path === null ? 'no' : 'yes',
    version ?? '-',
    loggedIn === null ? '-' : yesOrNo(loggedIn),
    names(true).join(' ') || '-',
    names(false).join(' ') || '-',
  ];
}

const yesOrNo = (yes: boolean) => (yes ? 'yes' : 'no');

/** Above zero. */
const SECONDS = /^(?!0+(?:\.0+)?$)\d{1,6}(?:\.\d{1,3})?$/;
/** As timeout(1) has it. */
const TIMED_OUT = 124;

/** Starts the agent, shows what it does as it happens, and returns its exit code. */
const runTask: Subcommand = async (parsed, context) => {
  const limit = numberOf(parsed, '--timeout', SECONDS, 'seconds');
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

interface OutputView {
  readonly adapter: Adapter;
  readonly parsed: ParsedArguments;
  readonly context: Context;
}

/** Events go through untouched with --json; so does plain output that no person sees at once. */
async function showOutput(
  stdout: Readable,
  started: StartedAgent,
  { adapter, parsed, context }: OutputView,
): Promise<void> {
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

/** Every variable, and whether the agent gets it. */
const env: Subcommand = async (parsed, context) => {
  if (flagValues(parsed, '--agent').length === 0) throw usageError('which agent?', 'cordon agent env NAME');
  const policy = await policyFromFlags(parsed, context);
  showWarnings(policy.warnings, context);
  const decisions = explain(policy, context.env, parsed.words);
  return print(parsed, context, decisionsAsJson(decisions), () =>
    parsed.words.length > 0
      ? decisions.map(decisionSentence).join('')
      : `${decisionGroups(decisions, context)}\n${decisionSummary(decisions)}`,
  );
};

/** The command line that `agent run` would start, as it could be typed. */
const command: Subcommand = async (parsed, context) => {
  const task = await taskFromFlags(parsed, context);
  const { argv, stdin } = readyTask(task);
  const input = stdin === undefined ? null : showBytes(stdin);
  const data = { argv: argv.map(showBytes), stdin: input, workdir: task.workdir };
  const piped = stdin === undefined ? '' : `printf %s ${shellWords([stdin])} | `;
  return print(parsed, context, data, () => `${piped}${shellWords(argv)}\n`);
};

/** What the command line asks an agent to do. */
async function taskFromFlags(parsed: ParsedArguments, context: Context): Promise<AgentTask> {
  if (flagValues(parsed, '--agent').length === 0)
    throw usageError('which agent?', 'cordon agent run NAME PROMPT; cordon agent list shows them');
  const adapter = agentNamed(parsed, agentConfig(context));
  const policy = await policyForAgent(parsed, context);
  showWarnings(policy.warnings, context);
  return {
    adapter,
    policy,
    env: context.env,
    workdir: workdirOf(parsed),
    prompt: promptOf(parsed),
    model: flagValues(parsed, '--model').at(-1),
    unasked: !hasFlag(parsed, '--own-permissions'),
  };
}

/** The words, or `-` for what stands on stdin: no command line can hold a long prompt. */
function promptOf({ words }: ParsedArguments): Bytes {
  if (words.length === 1 && words[0] === '-') return bytesOfBuffer(readFileSync(0));
  if (words.length === 0 && !process.stdin.isTTY) return bytesOfBuffer(readFileSync(0));
  return words.join(' ') as Bytes;
}
