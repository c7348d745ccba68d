import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { bytesOfText } from '../host/bytes.ts';
import { CordonError } from '../host/errors.ts';
import type { ParentEnv } from '../host/parent-env.ts';
import { auditFile, auditHead, newLaunchId } from '../launch/audit.ts';
import { surveyMachine } from '../launch/machine.ts';
import type { Pods } from '../launch/pods/pods.ts';
import { type Abilities, probeAbilities } from '../launch/probe.ts';
import { INSIDE, type Operation } from '../plan/places/index.ts';
import { type LaunchPlan, type Machine, plan } from '../plan/plan.ts';
import type { ImageTarget } from '../policy/container-target.ts';
import type { NetworkPolicy } from '../policy/network/rules.ts';
import type { Redaction } from '../redact/redaction.ts';
import { checkedWords, shell, type Words } from './arguments.ts';
import { type Call, launchHere, runCall } from './call.ts';
import { launchInContainer } from './container-call.ts';
import type { SessionEnvironment } from './environment.ts';
import { type Limits, resourceLimits } from './limits.ts';
import { logCall } from './log.ts';
import { launchInUsersPod } from './pod-call.ts';
import type { LauncherPool } from './pool.ts';
import type { KnownFolders } from './settings.ts';
import { skillCommand } from './skills/command.ts';
import type { SessionFolder } from './state.ts';
import type { CallOptions, CallResult, Log, Session, Skill, SkillCallOptions } from './types.ts';
import { checkUnchanged, type KnownFolder } from './workspace.ts';

/** Everything a session is, found when it was opened. */
export interface Ground {
  readonly id: string;
  readonly user: string;
  /** Undefined where it is in a pod. */
  readonly workspace: KnownFolder | undefined;
  readonly skills: readonly Skill[];
  readonly environment: SessionEnvironment;
  readonly places: readonly Operation[];
  /** The skills' folders as they were looked at. */
  readonly skillFolders: readonly KnownFolder[];
  readonly limits: Limits;
  readonly pool: LauncherPool | undefined;
  readonly redaction: Redaction | undefined;
  readonly env: ParentEnv;
  readonly state: string;
  readonly folders: KnownFolders;
  readonly target: ImageTarget | undefined;
  readonly pods: Pods | undefined;
  readonly folder: SessionFolder;
  readonly log: Log;
}

export class OpenSession implements Session {
  readonly id: string;
  readonly user: string;
  readonly workspace: string;
  readonly isElsewhere: boolean;
  readonly skills: readonly Skill[];
  readonly variableNames: readonly string[];
  readonly limits: Limits;
  readonly reach: string;
  readonly #ground: Ground;
  readonly #closing = new AbortController();
  readonly #running = new Set<Promise<unknown>>();
  #closed: Promise<void> = Promise.resolve();

  constructor(ground: Ground) {
    this.#ground = ground;
    setMaxListeners(0, this.#closing.signal); // Every call listens, however many there are at once.
    this.id = ground.id;
    this.user = ground.user;
    this.workspace = ground.workspace?.path ?? INSIDE.workspace;
    this.isElsewhere = ground.workspace === undefined;
    this.skills = ground.skills;
    this.limits = ground.limits;
    this.reach = reachWords(ground.environment.policy.network);
    ground.pool?.sessionOpened();
    this.variableNames = [...ground.environment.secrets.keys()].toSorted();
  }

  async bash(command: string, options: CallOptions = {}): Promise<CallResult> {
    return this.#call('the Bash command', () => [this.#isInside ? 'bash' : shell(), '-c', command], options);
  }

  async runSkill(name: string, { args = [], input, ...options }: SkillCallOptions = {}): Promise<CallResult> {
    const skill = this.skills.find((one) => one.name === name || one.toolName === name);
    if (skill === undefined) throw noSkill(name, this.skills);
    const path = this.#isInside ? 'of the image' : this.#ground.environment.path;
    const words = (): Words => [...skillCommand(skill, path), ...args];
    return this.#call(`the skill '${skill.name}'`, words, options, input ?? '');
  }

  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return this.#closed;
    this.#closing.abort();
    this.#closed = this.#finish();
    return this.#closed;
  }

  async #finish(): Promise<void> {
    await Promise.allSettled(this.#running);
    await this.#ground.pool?.sessionClosed(this);
    this.#ground.folder.remove();
  }

  async #call(what: string, words: () => Words, options: CallOptions, input?: string): Promise<CallResult> {
    if (this.#closing.signal.aborted) throw new CordonError('session', `the session ${this.id} is closed`);
    const running = this.#run(what, words, options, input);
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  async #run(what: string, words: () => Words, options: CallOptions, input?: string): Promise<CallResult> {
    const { env, workspace, limits, pool, redaction, log } = this.#ground;
    const machine = this.#isInside ? undefined : requireBarrier(env, what);
    this.#checkFolders();
    const checked = checkedWords(words());
    const plan = machine === undefined ? undefined : this.#plan(machine, checked);
    const start = plan === undefined ? this.#startInside(checked) : launchHere(plan, limits, input);
    logCall(log, this.id, what, this.variableNames);
    const next = () => (plan !== undefined && this.#canGoOn() ? plan : undefined);
    const call = { start, limits, workspace: workspace?.path, options, redaction, pool, owner: this, plan, next };
    try {
      return await runCall({ ...call, input, closing: this.#closing.signal });
    } catch (error) {
      const isBarriers = !this.#isInside && error instanceof CordonError && error.kind === 'launch';
      throw (isBarriers && barrierFailure(env, what)) || error;
    }
  }

  get #isInside(): boolean {
    return this.#ground.target !== undefined || this.#ground.pods !== undefined;
  }

  #checkFolders(): void {
    const { workspace, skillFolders } = this.#ground;
    if (workspace !== undefined) checkUnchanged(workspace, 'workspace');
    for (const folder of skillFolders) checkUnchanged(folder, 'skill');
  }

  /** Whether there may be another call, in a barrier of the launcher's own: only that can be made ahead. */
  #canGoOn(): boolean {
    if (this.#closing.signal.aborted || barrier !== 'own') return false;
    try {
      this.#checkFolders();
      return true;
    } catch {
      return false; // The next call says so.
    }
  }

  /** The barrier of a container is made inside of it, and nothing is started there without. */
  #startInside(words: Words): Call['start'] {
    const { target, pods } = this.#ground;
    if (pods !== undefined) return launchInUsersPod(this.#ground, pods, words);
    return launchInContainer({ ...this.#ground, target: target as ImageTarget }, words);
  }

  #plan(machine: Machine, words: Words): LaunchPlan {
    const { environment, places, limits, pool, state, id, user } = this.#ground;
    const { policy, decisions, sealed } = environment;
    const [path, ...args] = words.map(bytesOfText) as [ReturnType<typeof bytesOfText>];
    const head = auditHead({ policy, decisions, path, argumentCount: args.length });
    return plan({
      name: 'session',
      command: { path, argv: [path, ...args] },
      env: sealed,
      workdir: '/',
      policy,
      places,
      machine,
      records: {
        launch: newLaunchId(),
        stateFolder: state,
        audit: { file: auditFile(state), head: `${head},${JSON.stringify({ session: id, user }).slice(1, -1)}` },
      },
      limits: resourceLimits(limits, pool?.cgroups !== undefined),
    });
  }
}

function reachWords({ mode, allow, deny }: NetworkPolicy): string {
  if (mode === 'off') return 'There is no network.';
  if (mode === 'on') return 'The network can be reached.';
  const written = (rules: typeof allow) => [...new Set(rules.map(({ text }) => text.replace(/=.*$/s, '')))].join(', ');
  const isAll = allow.some(({ kind }) => kind === 'any');
  const reached = isAll
    ? 'Hosts can be reached by name'
    : `Only these hosts can be reached: ${written(allow) || 'none'}`;
  return `${reached}${deny.length === 0 ? '' : `, never ${written(deny)}`}.`;
}

export const newSessionId = () =>
  `${new Date().toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '_')}_${randomUUID().slice(0, 8)}`;

function noSkill(name: string, skills: readonly Skill[]): CordonError {
  const known = skills.filter(({ kind }) => kind === 'script').map((skill) => skill.name);
  return new CordonError('skill', `there is no skill '${String(name).slice(0, 100)}'`, {
    hint: known.length === 0 ? 'this session has no script skills' : `there are ${known.join(', ')}`,
  });
}

/** Which barrier was seen to work; one that fails is tried again, since it may be fixed meanwhile. */
let barrier: Abilities['barrier']['by'] = 'none';

/** What holds a sandbox on this machine, or a refusal. Nothing of a session ever runs without it. */
function requireBarrier(env: ParentEnv, what: string): Machine {
  const machine = surveyMachine(env);
  if (barrier !== 'none') return machine;
  const found = probeAbilities().barrier;
  if (found.by === 'none') throw noBarrier(what, found.why);
  barrier = found.by;
  return machine;
}

/** After a launch that failed: the barrier may be what is missing. */
function barrierFailure(env: ParentEnv, what: string): CordonError | undefined {
  barrier = 'none';
  try {
    requireBarrier(env, what);
    return undefined;
  } catch (error) {
    if (error instanceof CordonError) return error;
    throw error;
  }
}

function noBarrier(what: string, why: string): CordonError {
  return new CordonError(
    'security',
    `SECURITY ERROR: ${what} was not run, since there is no barrier here to hold it: ${why}. Secrets are handed to nothing outside of one.`,
    { hint: 'cordon doctor says what is in the way, and how to get it out of it' },
  );
}
