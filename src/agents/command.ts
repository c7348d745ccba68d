import { type Decision, decide } from '../decide/decide.ts';
import { type Bytes, bytesOfText, textOfBytes } from '../host/bytes.ts';
import { CordonError, EXIT } from '../host/errors.ts';
import { findCommand } from '../host/folders.ts';
import type { ParentEnv } from '../host/parent-env.ts';
import { surveyMachine } from '../launch/machine.ts';
import type { Policy } from '../policy/policy.ts';
import type { Adapter, AgentCommand } from './adapter.ts';

/** One run of an agent, as it is asked for. */
export interface AgentTask {
  readonly adapter: Adapter;
  readonly policy: Policy;
  readonly env: ParentEnv;
  readonly workdir: string;
  readonly prompt: Bytes;
  readonly model?: Bytes | undefined;
  readonly unasked: boolean;
}

/** The same with all that depends on this machine. */
export interface ReadyTask {
  readonly policy: Policy;
  readonly argv: readonly [Bytes, ...Bytes[]];
  readonly stdin: Bytes | undefined;
}

export function readyTask(task: AgentTask): ReadyTask {
  const { adapter } = task;
  refuseBadPrompt(task.prompt);
  const policy = markedPolicy(task);
  const { args, stdin } = commandOf(task, policy);
  return { policy, argv: [bytesOfText(adapter.program), ...(args as readonly Bytes[])], stdin };
}

function commandOf({ adapter, env, workdir, prompt, model, unasked }: AgentTask, policy: Policy): AgentCommand {
  const found = new Map(decide(policy, env).map((decision) => [decision.name, decision]));
  const has = (name: string) => arrives(found.get(bytesOfText(name)), env);
  const marked = policy.set.some(({ name }) => name === adapter.sandboxMark);
  return adapter.command({
    prompt,
    model: model ?? (adapter.model === undefined ? undefined : bytesOfText(adapter.model)),
    workdir: bytesOfText(workdir),
    unasked: unasked && (marked || !refusesHere(adapter, env)),
    has,
    address: (name) => (adapter.addresses.includes(name) && has(name) ? textOf(env, name) : undefined),
  });
}

function arrives(decision: Decision | undefined, env: ParentEnv): boolean {
  if (decision === undefined || decision.verdict === 'drop') return false;
  return decision.verdict !== 'pass' || env.get(decision.name) !== '';
}

function textOf(env: ParentEnv, name: string): string | undefined {
  const value = env.get(bytesOfText(name));
  return value === undefined ? undefined : textOfBytes(value);
}

const refusesHere = (adapter: Adapter, env: ParentEnv) =>
  adapter.refusesUnaskedAsRoot === true && surveyMachine(env).uid === 0;

/** The mark says that the barrier stands, so with it there is no launch without one. */
function markedPolicy({ adapter, policy, env, unasked }: AgentTask): Policy {
  const { sandboxMark } = adapter;
  const canStand = policy.isolation !== 'filter' && surveyMachine(env).bwrap !== undefined;
  if (sandboxMark === undefined || !unasked || !canStand || !refusesHere(adapter, env)) return policy;
  const mark = { name: bytesOfText(sandboxMark), value: bytesOfText('1'), origin: `adapter ${adapter.name}` };
  return { ...policy, isolation: 'barrier', set: [...policy.set.filter(({ name }) => name !== mark.name), mark] };
}

function refuseBadPrompt(prompt: Bytes): void {
  if (prompt.trim() === '')
    throw new CordonError('prompt', 'the prompt is empty', { hint: 'say what the agent shall do' });
  if (prompt.includes('\0'))
    throw new CordonError('prompt', 'the prompt holds a NUL byte, which no agent can be given');
}

/** Where the agent's program is, or how to get it. */
export function locateAgent({ name, program, install }: Adapter, env: ParentEnv): Bytes {
  try {
    return findCommand(bytesOfText(program), env);
  } catch (error) {
    if (!(error instanceof CordonError) || error.kind !== 'not-found') throw error;
    throw new CordonError('not-found', `the agent ${name} is not installed: there is no '${program}' on PATH`, {
      exitCode: EXIT.notFound,
      hint: `install it: ${install}`,
      cause: error,
    });
  }
}
