import { type Bytes, bytesOfText } from '../../host/bytes.ts';
import { CallGate } from '../../mcp/call-gate.ts';
import { endWhenTold } from '../../mcp/end-when-told.ts';
import { logLines } from '../../mcp/log-lines.ts';
import { serveOnStdio } from '../../mcp/stdio.ts';
import { type Log, type LogForm, lineLog, openSession, type SessionOptions } from '../../sessions/index.ts';
import { MCP_FLAGS } from '../command-flags.ts';
import type { Context } from '../context.ts';
import { flagValues, type ParsedArguments, parseArguments, textValue, usageError } from '../flags.ts';
import { IN_FLAG } from '../run-flags.ts';
import { version } from '../version.ts';

const CALLS_AT_ONCE = 16;

/** One session on stdin and stdout, which carry the protocol and nothing else. */
export async function run(args: readonly Bytes[], context: Context): Promise<number> {
  const parsed = parseArguments(args, { flags: MCP_FLAGS });
  if (parsed.words.length > 0 || parsed.rest !== undefined) throw usageError('mcp takes flags only');
  const log = logOf(parsed, context);
  const session = await openSession({
    ...sessionOptions(parsed, context, log),
    user: required(parsed, '--user'),
    workspace: required(parsed, '--workspace'),
  });
  const ended = new AbortController();
  const serving = { session, gate: new CallGate(CALLS_AT_ONCE), version: version(), ended: ended.signal };
  const service = serveOnStdio(serving, (problem) => log('info', `mcp: ${problem}`));
  const stopListening = endWhenTold(() => void service.close());
  await service.closed;
  ended.abort();
  await session.close();
  stopListening();
  return 0;
}

export function sessionOptions(
  parsed: ParsedArguments,
  { env, folders }: Context,
  log: Log,
): Omit<SessionOptions, 'user' | 'workspace'> {
  const profile = optional(parsed, '--profile');
  const skills = flagValues(parsed, '--skills').map((folder) => textValue(folder, '--skills'));
  return {
    env,
    folders,
    log,
    skills,
    in: optional(parsed, IN_FLAG.name),
    ...(profile === undefined ? {} : { profile }),
  };
}

/** On stderr; CORDON_LOG=debug tells of each variable, without its value. */
export function logOf(parsed: ParsedArguments, { env, err }: Context): Log {
  const form: LogForm = optional(parsed, '--log') === 'json' ? 'json' : 'text';
  const level = env.get(bytesOfText('CORDON_LOG')) === 'debug' ? 'debug' : 'info';
  return lineLog(logLines(err), form, level);
}

export function required(parsed: ParsedArguments, name: string): string {
  const value = optional(parsed, name);
  if (value === undefined || value === '') throw usageError(`${name} is needed`);
  return value;
}

/** Given twice, it would be unclear which is meant. */
export function optional(parsed: ParsedArguments, name: string): string | undefined {
  const [value, ...more] = flagValues(parsed, name);
  if (more.length > 0) throw usageError(`${name} is given twice`);
  return value === undefined ? undefined : textValue(value, name);
}
