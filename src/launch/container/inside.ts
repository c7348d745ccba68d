import { type Decision, decide } from '../../decide/decide.ts';
import { type Bytes, bufferOfBytes, bytesOfText, showBytes, textOfBytes } from '../../host/bytes.ts';
import { type Folders, foldersOf, homesOf, isWithin } from '../../host/folders.ts';
import { ParentEnv } from '../../host/parent-env.ts';
import { factsOf, NO_COPIES, type Operation, pathsOf, placesOf } from '../../plan/places/index.ts';
import { plan, type ResourceLimit } from '../../plan/plan.ts';
import { NETWORK_ON, type NetworkPolicy, withProxyVariables } from '../../policy/network/rules.ts';
import type { FilesystemPolicy, Policy } from '../../policy/policy.ts';
import { seal } from '../../seal/seal.ts';
import type { LaunchBroker } from '../brokered.ts';
import { surveyMachine } from '../machine.ts';
import { outsideOperationsInside } from '../outside.ts';
import { ownOf } from '../own.ts';
import { type LaunchRequest, logInCopies, type Prepared } from '../prepare.ts';
import { type Bind, pathInside } from './arguments.ts';
import { atTargets } from './remap.ts';

/** What the command's environment is decided from: the image's variables, and the caller's that mean something there. */
export interface InsideEnv {
  readonly env: ParentEnv;
  /** The names whose value is the image's. */
  readonly ofImage: ReadonlySet<Bytes>;
  /** Those of the caller that mean nothing inside, with why. */
  readonly left: (policy: Policy) => Decision[];
}

/** They speak of the caller's terminal and, in a container of its own, of the caller, whatever an image puts there. */
const OF_TERMINAL = ['TERM', 'COLORTERM'].map(bytesOfText);
const OF_CALLER = [...OF_TERMINAL, ...['HOME', 'USER', 'LOGNAME'].map(bytesOfText)];

/**
 * The image's own variables come first. A value of the caller's that begins with a slash is a place of this machine: it passes only
 * where that place is inside too.
 */
export function environmentInside(block: Buffer, host: ParentEnv, { binds, isOwn }: InsidePlaces): InsideEnv {
  const image = ParentEnv.fromBlock(block);
  const callers = isOwn ? OF_CALLER : OF_TERMINAL;
  const isCallers = (name: Bytes) => callers.includes(name) && host.peek(name) !== undefined;
  const ofImage = image.names().filter((name) => !isCallers(name));
  const others = host.names().filter((name) => !ofImage.includes(name));
  const isForeign = (name: Bytes) => {
    const value = host.peek(name) ?? '';
    return value.startsWith('/') && !isCallers(name) && !binds.some((bind) => isWithin(value, pathInside(bind)));
  };
  const entries = [
    ...ofImage.map((name) => [name, image.peek(name)] as const),
    ...others.filter((name) => !isForeign(name)).map((name) => [name, host.peek(name)] as const),
  ];
  const merged = Buffer.concat(entries.map(([name, value]) => bufferOfBytes(`${name}=${value ?? ''}\0` as Bytes)));
  return {
    env: ParentEnv.fromBlock(merged),
    ofImage: new Set(ofImage),
    left: (policy) =>
      decide(policy, host).flatMap((decision) => {
        if (!others.includes(decision.name) || !isForeign(decision.name)) return [];
        if (decision.verdict !== 'drop' && decision.verdict !== 'pass') return [];
        return [decision.verdict === 'drop' ? decision : foreign(decision.name)];
      }),
  };
}

const foreign = (name: Bytes): Decision => ({
  name,
  verdict: 'drop',
  rule: 'host place',
  origin: 'built-in order',
  reason: 'its value is a place of this machine, which is not in the container',
});

/** The decisions for a command in a container, sorted by name; those about the image's variables say so. */
export function decideInside(policy: Policy, inside: InsideEnv): Decision[] {
  const decided = decide(policy, inside.env).map((decision) => {
    const isInherited = decision.verdict === 'pass' || decision.verdict === 'drop';
    if (!isInherited || !inside.ofImage.has(decision.name)) return decision;
    return { ...decision, reason: `${decision.reason}; the image sets it` };
  });
  return [...decided, ...inside.left(policy)].sort((a, b) => Number(a.name > b.name) - Number(a.name < b.name));
}

export interface InsideRequest
  extends Pick<
    LaunchRequest,
    'policy' | 'env' | 'argv' | 'workdir' | 'credentials' | 'quiet' | 'onTerminal' | 'broker'
  > {
  /** Cordon's own, where they are not what the environment says. */
  readonly folders?: Folders | undefined;
  /** Whose variables are decided about, when not the caller's. */
  readonly parent?: ParentEnv | undefined;
  readonly limits?: ContainerLimits | undefined;
  /** Places that have another path inside, besides those that the policy names. */
  readonly mounts?: readonly Mount[] | undefined;
}

/** What a command may use of this machine. */
export interface ContainerLimits {
  /** What all processes together may use, where the engine can hold them to it. */
  readonly together: { readonly memory: number; readonly processes: number };
  /** What each process may, given whether the engine holds them together. */
  readonly each: (together: boolean) => readonly ResourceLimit[];
  /** Bytes of each folder in memory. */
  readonly temporary: number;
}

export interface Mount extends Bind {
  readonly target: string;
  /** The command works there. */
  readonly isWorkspace: boolean;
}

export interface InsidePlaces {
  /** A container for this command alone, not one that runs already. */
  readonly isOwn: boolean;
  readonly binds: readonly Bind[];
  readonly workspace: string | undefined;
}

const DEFAULT_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** What a command finds around it. */
interface Around {
  readonly block: Buffer;
  readonly places: InsidePlaces;
  /** Something holds all processes together to what they may use. */
  readonly together: boolean;
  /** What of the network the launcher has to hold; left out where an engine does. */
  readonly network?: NetworkPolicy;
  /** With names: the socket inside on which the listeners are taken. */
  readonly outsideAt?: string | undefined;
}

/** decide → seal → plan for one command line in a container, of which `block` are the variables it was started with. */
export function prepareInside(
  request: InsideRequest,
  { block, places, together, outsideAt, network = NETWORK_ON }: Around,
): Prepared {
  const { argv, workdir, credentials, broker } = request;
  const policy = withProxyVariables(request.policy);
  const inside = environmentInside(block, request.parent ?? request.env, places);
  const decisions = decideInside(policy, inside);
  const { env } = inside;
  const sealed = seal(decisions, {
    ...{ policy, env },
    ...(credentials === undefined ? {} : { credentials }),
    ...(broker === undefined ? {} : { placeholders: broker.placeholders }),
  });
  const search = (env.get(bytesOfText('PATH')) ?? DEFAULT_PATH).split(':').filter((folder) => folder.startsWith('/'));
  const made = plan({
    name: showBytes(argv[0]),
    command: { path: argv[0], argv, search: search as Bytes[] },
    env: sealed,
    workdir,
    policy: { ...policy, network, filesystem: insideFilesystem(request, places) },
    places:
      policy.isolation === 'filter'
        ? []
        : [
            ...operations(request, env, places),
            ...trustedInside(broker, block),
            ...(outsideAt === undefined ? [] : outsideOperationsInside({ policy, ssh: broker?.ssh }, outsideAt)),
          ],
    machine: { ...surveyMachine(env), bwrap: undefined },
    quiet: request.quiet,
    summary: policy.base.preset === 'agent',
    onTerminal: request.onTerminal,
    limits: request.limits?.each(together),
  });
  return { decisions, plan: made, startup: [], startupFiles: [], warnings: [] };
}

/** The image is what a built root is on the machine: programs and nothing else. Only what is bound can be named. */
function insideFilesystem(
  { policy: { filesystem }, mounts = [] }: InsideRequest,
  { binds, workspace }: InsidePlaces,
): FilesystemPolicy {
  const bound = (paths: readonly string[]) =>
    paths.filter((path) => binds.some((bind) => path !== workspace && isWithin(path, pathInside(bind))));
  const mounted = (isWritable: boolean) =>
    mounts.filter((one) => one.writable === isWritable && one.target !== workspace).map(({ target }) => target);
  const { read, write, expose, mode } = { ...filesystem, mode: filesystem.workspace.mode };
  return {
    ...filesystem,
    preset: 'guarded',
    read: [...bound(read), ...mounted(false)],
    write: [...bound(write), ...mounted(true)],
    expose: bound(expose),
    workspace: { folder: workspace, mode },
  };
}

/** Cordon's own and everybody's credentials stay out, also where a folder that is bound holds them. */
function operations(request: InsideRequest, env: ParentEnv, places: InsidePlaces): Operation[] {
  const { policy } = request;
  const [facts, host] = [factsOf(env), factsOf(request.env)];
  const { places: own } = ownOf({
    homes: homesOf(request.env),
    folders: request.folders ?? foldersOf(request.env),
    policyFiles: policy.files,
    how: 'look',
  });
  const found = placesOf(insideFilesystem(request, places), {
    ...facts,
    // What is bound is the caller's: variables of the image add places and take none away. The caller's come first, since homes are
    // counted; and what swallows a home is not hidden, so an image does not say where one is.
    homes: places.isOwn && host.homes.length > 0 ? host.homes : facts.homes,
    moved: [...host.moved, ...facts.moved],
    named: [...host.named, ...facts.named],
    own,
    aside: undefined,
    links: new Map(),
    use: { as: 'run', files: { ...NO_COPIES, copies: logInCopies(request.broker) } },
  });
  const kept = places.workspace === undefined ? found.filter(({ kind }) => kind !== 'workspace') : found;
  return atTargets(kept, request.mounts ?? []).map(bounded(request.limits?.temporary));
}

/** What the image names its own certificates by is not passed on, but they stay trusted. */
function trustedInside(broker: LaunchBroker | undefined, block: Buffer): Operation[] {
  if (broker?.certificates === undefined) return [];
  const { text, paths, variables } = broker.certificates;
  const image = ParentEnv.fromBlock(block);
  const named = variables.map((name) => textOfBytes(image.peek(bytesOfText(name)) ?? bytesOfText('')) ?? '');
  const [first, ...others] = pathsOf([...paths, ...named.filter((path) => path.startsWith('/'))]);
  return first === undefined ? [] : [{ kind: 'certificates', text, bundles: [first, ...others] }];
}

/** Memory that a command fills is memory of the machine. */
const bounded =
  (bytes: number | undefined) =>
  (operation: Operation): Operation =>
    bytes !== undefined && (operation.kind === 'private' || operation.kind === 'dev')
      ? { ...operation, bytes }
      : operation;
