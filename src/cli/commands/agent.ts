import type { Bytes } from '../../host/bytes.ts';
import { AGENT_FLAGS } from '../command-flags.ts';
import type { CommandModule } from '../commands.ts';
import type { Context } from '../context.ts';
import { chosen, hasFlag, type ParsedArguments, parseArguments, UnknownFlag, usageError } from '../flags.ts';
import { IN_FLAG } from '../run-flags.ts';

export interface AgentSubcommand {
  /** The words are those after the name of the subcommand. */
  run(parsed: ParsedArguments, context: Context): Promise<number> | number;
}

const SUBCOMMANDS: Readonly<Record<string, () => Promise<AgentSubcommand>>> = {
  list: () => import('./agent-list.ts'),
  run: () => import('./agent-run.ts'),
  env: () => import('./agent-env.ts'),
  command: () => import('./agent-command.ts'),
};

export const run: CommandModule['run'] = async (args, context) => {
  const [name, ...rest] = args;
  const subcommand = await chosen('cordon agent', name, SUBCOMMANDS)();
  const parsed = parsedArguments(rest);
  if (name !== 'run' && hasFlag(parsed, IN_FLAG.name)) throw usageError('--in goes with agent run', 'leave it out');
  return subcommand.run(withAgentFlag(parsed), context);
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
