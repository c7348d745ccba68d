import { readFileSync } from 'node:fs';
import type { AgentTask } from '../agents/command.ts';
import { type Bytes, bytesOfBuffer } from '../host/bytes.ts';
import { agentConfig, agentNamed } from './agent-policy.ts';
import { type Context, showWarnings } from './context.ts';
import { flagValues, hasFlag, type ParsedArguments, usageError } from './flags.ts';
import { workdirOf } from './policy-flags.ts';
import { policyForAgent } from './start-policy.ts';

/** What the command line asks an agent to do. */
export async function taskFromFlags(parsed: ParsedArguments, context: Context): Promise<AgentTask> {
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
