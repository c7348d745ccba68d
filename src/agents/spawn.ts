import { fileURLToPath } from 'node:url';
import { bufferOfBytes, bytesOfText } from '../host/bytes.ts';
import { CordonError } from '../host/errors.ts';
import { requireFolder } from '../host/folders.ts';
import type { ParentEnv } from '../host/parent-env.ts';
import type { LaunchBroker } from '../launch/brokered.ts';
import { containerAround } from '../launch/container/around.ts';
import { type Launched, type LaunchResult, launch } from '../launch/launch.ts';
import { surveyMachine } from '../launch/machine.ts';
import { type Prepared, prepare } from '../launch/prepare.ts';
import { probeBarrier } from '../launch/probe.ts';
import { plan } from '../plan/plan.ts';
import type { ContainerTarget } from '../policy/container-target.ts';
import { DEFAULT_POLICY } from '../policy/policy.ts';
import type { CredentialMap } from '../secrets/sources/source.ts';
import type { Adapter, Format } from './adapter.ts';
import { type AgentTask, locateAgent, readyTask } from './command.ts';

export interface AgentStart extends AgentTask {
  readonly credentials: CredentialMap;
  readonly broker?: LaunchBroker | undefined;
  readonly record: boolean;
  /** What is only good to know is left out. */
  readonly quiet?: boolean;
  /** What it says on standard error is shown on a terminal. */
  readonly onTerminal?: boolean | undefined;
  /** The container it runs in, whose image then has its program. */
  readonly target?: ContainerTarget | undefined;
}

export interface StartedAgent {
  readonly prepared: Prepared;
  readonly child: Launched['child'];
  readonly result: Promise<LaunchResult>;
}

/** The one way to start an agent: decide, seal, plan, launch, whichever agent it is. */
export function startAgent(start: AgentStart): StartedAgent {
  requireFolder(start.workdir, 'make it, or give another with --workdir');
  locateAgent(start.adapter, start.env);
  refuseFilterInContainer(start);
  const { policy, argv, stdin } = readyTask(start);
  const { env, workdir, credentials, broker, record, quiet = false, onTerminal } = start;
  const prepared = prepare({ policy, env, argv, workdir, credentials, broker, record, quiet, onTerminal });
  const { child, result } = launch(prepared.plan, {
    stdin: stdin === undefined ? 'ignore' : 'pipe',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  child.stdin?.on('error', () => undefined); // An agent may end without having read its prompt.
  child.stdin?.end(stdin === undefined ? undefined : bufferOfBytes(stdin));
  return { prepared, child, result };
}

/** A container is shared with whatever else runs in it: an agent is started there behind the barrier, or when it was said that it need not be. */
function refuseFilterInContainer({ policy, env }: AgentStart): void {
  if (policy.isolation !== 'auto' || containerAround(env) === undefined) return;
  const { ok, found } = probeBarrier();
  if (ok) return;
  throw new CordonError('isolation', `in this container an agent would only be filtered: ${found}`, {
    hint: 'cordon doctor says which setting is missing; --isolation filter starts it all the same',
  });
}

/** The same in a container. */
export async function startAgentIn(start: AgentStart, target: ContainerTarget): Promise<StartedAgent> {
  requireFolder(start.workdir, 'make it, or give another with --workdir');
  const { policy, argv, stdin } = readyTask(start);
  const { env, workdir, credentials, broker, record, quiet = false, onTerminal } = start;
  const { launchIn } = await import('../launch/container/launch-in.ts');
  const { prepared, child, result } = await launchIn(
    { policy, env, argv, workdir, credentials, broker, record, quiet, onTerminal, target },
    { stdin: stdin === undefined ? 'ignore' : 'pipe', stdout: 'pipe', stderr: 'pipe' },
  );
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(stdin === undefined ? undefined : bufferOfBytes(stdin));
  return { prepared, child, result };
}

const RENDERER = fileURLToPath(new URL('agent-renderer.js', import.meta.url));

/** What shows the events of an agent: a process beside it, with the very environment that was sealed for the agent. */
export function startRenderer(
  { plan: of }: Prepared,
  format: Format,
  options: { env: ParentEnv; colours: boolean },
): Launched {
  const argv = [process.execPath, RENDERER, format, options.colours ? 'colours' : 'plain'].map(bytesOfText);
  const rendering = plan({
    name: 'agent-renderer',
    command: { path: bytesOfText(process.execPath), argv },
    env: of.env,
    workdir: of.workdir,
    policy: { ...DEFAULT_POLICY, isolation: 'filter' },
    places: [],
    machine: surveyMachine(options.env),
  });
  return launch(rendering, { stdin: 'pipe' });
}

/** `PROGRAM --version`, with an agent's environment and no key at all. */
export function startVersion({ program, version = [] }: Adapter, env: ParentEnv): Launched {
  const { plan: asking } = prepare({
    policy: { ...DEFAULT_POLICY, origin: 'version', base: { preset: 'agent', origin: 'version' }, guard: 'strip' },
    env,
    argv: [bytesOfText(program), ...version.map(bytesOfText)],
    workdir: '/',
    record: false,
    forgets: true,
  });
  return launch(asking, { stdin: 'ignore', stdout: 'pipe', stderr: 'ignore' });
}
