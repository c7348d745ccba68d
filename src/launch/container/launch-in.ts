import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, realpathSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { constants } from 'node:os';
import { join } from 'node:path';
import { showBytes } from '../../host/bytes.ts';
import { CordonError, EXIT } from '../../host/errors.ts';
import { quietly } from '../../host/files.ts';
import { homesOf, isWithin } from '../../host/folders.ts';
import { planText } from '../../plan/plan.ts';
import { type ContainerTarget, targetText } from '../../policy/container-target.ts';
import { isByName } from '../../policy/network/rules.ts';
import { appendAudit, newLaunchId, startOf } from '../audit.ts';
import { deliverBy, Ending } from '../ending.ts';
import { exitOf, type Launched, type LaunchOptions, type LaunchResult, stdioOf } from '../launch.ts';
import { nativeLauncher } from '../machine.ts';
import { wayOut } from '../outside.ts';
import type { Prepared } from '../prepare.ts';
import { drawLot, folderInside, LISTENERS, pathInside, runArguments, SOCKET, talkInside } from './arguments.ts';
import { forget, isSame, keepForNextTime, leave, type StartNames, takeBegun, takeOver } from './begun.ts';
import { type Engine, engineOf, holdsTogether, volumesOf } from './engine.ts';
import { type InsidePlaces, prepareInside } from './inside.ts';
import { placesForContainer } from './places.ts';
import { environmentFrom, type Recorded, recordsFor, stateFolderOf, tellPlan } from './talk.ts';
import { makeTalkFolder, removeLeftTalks, talkIn } from './talk-folder.ts';
import { refuseUnfit } from './unfit.ts';
import { openWayOut, type WayOut } from './way-out.ts';

export interface ContainerRequest extends Recorded {
  readonly target: ContainerTarget;
}

export interface LaunchedIn extends Launched {
  readonly prepared: Prepared;
}

/**
 * Starts a command in a container. The launcher inside says what variables it was started with, gets the plan over a socket that
 * nobody else can reach, for a word that nobody else was told, and lives as long as that socket: what an engine is told, and keeps, is only where the launcher is.
 */
export async function launchIn(request: ContainerRequest, options: LaunchOptions = {}): Promise<LaunchedIn> {
  refuseUnfit(request.policy, request.target);
  const launcher = launcherFile();
  const looking = placesForContainer(request);
  looking.catch(() => undefined);
  rehearse(request);
  const engine = await engineOf(request.target, request.env);
  const places = await looking;
  const talk = await begin(request, { engine, launcher, places }, options);
  const ended = exitOf(talk.child);
  const start = new Starting(talk, engine, options.signal);
  const early = ended.then((result) => start.endedEarly(result));
  try {
    const socket = await Promise.race([talk.socket, early, start.aborted]);
    const block = await Promise.race([environmentFrom(socket, talk.word), early, start.aborted]);
    if (engine.name === 'docker') refuseVolumes(await volumesOf(engine, talk.name));
    const prepared = prepareInside(withBarrier(request, engine, places), {
      block,
      places,
      together: holdsTogether(engine),
      ...(talk.wayOut === undefined ? {} : { network: request.policy.network, outsideAt: talk.wayOut.at }),
    });
    start.done();
    const heard = tellPlan(socket, prepared);
    deliverBy(talk.child, {
      signal: (signal) => socket.write(Uint8Array.of(constants.signals[signal])),
      end: () => socket.destroy(),
    });
    talk.keep?.();
    const ending = new Ending(talk.child, { signals: [options.signal] });
    const result = ended.finally(async () => {
      ending.done();
      if (heard().isolation !== undefined) await talk.wayOut?.settle();
      talk.end();
      talk.clear?.();
    });
    const records = recordsFor(request, prepared, talk.launch);
    const recorded = result.then((ofEngine) => {
      const { isolation, exit } = heard();
      const outcome = { in: targetText(request.target), folder: request.workdir, isolation: isolation ?? 'none' };
      const exitCode = exit ?? (ofEngine.exitCode === 0 ? EXIT.failure : ofEngine.exitCode);
      appendAudit(records, { ...outcome, exit: exitCode, duration_ms: Date.now() - startOf(talk.launch) });
      return { exitCode };
    });
    return { child: talk.child, result: recorded, hasStarted: () => heard().isolation !== undefined, prepared };
  } catch (error) {
    talk.end();
    await ended.catch(() => undefined);
    talk.clear?.();
    start.done();
    throw error;
  }
}

/**
 * The launcher inside waits for its answer, and most of the time that one takes is code that runs for the first time. So it runs before,
 * while others are at work, for an image that has nothing; what comes of it is for nobody, and what is wrong is said by the real one.
 */
function rehearse(request: ContainerRequest): void {
  const places = { isOwn: true, binds: [], workspace: undefined };
  const block = Buffer.from('PATH=/usr/bin:/bin\0HOSTNAME=none\0');
  quietly(() => planText(prepareInside(request, { block, places, together: true }).plan, 'hidden'));
}

/** How long a client has to find out by itself that nobody waits for its container, and then to end when it is told. */
const PATIENCE_MS = 2000;

/** The time before a container is there, in which its engine may fail, or nobody may want it any more. */
class Starting {
  /** Rejected when it is no longer wanted. */
  readonly aborted: Promise<never>;
  readonly #engine: Engine;
  readonly #undo: (() => void)[] = [];
  #said = '';

  constructor({ child, end }: Talk, engine: Engine, signal: AbortSignal | undefined) {
    this.#engine = engine;
    // Before the end nobody may read it: it is the command's, once that is there.
    const listen = () => child.stderr?.on('data', (chunk: Buffer) => this.#hear(chunk));
    child.once('exit', listen);
    this.#undo.push(() => child.off('exit', listen));
    this.aborted = new Promise((_, reject) => {
      const abort = () => {
        reject(new CordonError('aborted', 'it was ended before its container was there', { hint: 'nothing was run' }));
        end();
        for (const [times, name] of (['SIGTERM', 'SIGKILL'] as const).entries())
          this.#later((times + 1) * PATIENCE_MS, () => child.kill(name));
      };
      signal?.addEventListener('abort', abort, { once: true });
      this.#undo.push(() => signal?.removeEventListener('abort', abort));
      if (signal?.aborted === true) abort();
    });
    this.aborted.catch(() => undefined);
  }

  /** What it said is told where it is shown nowhere. */
  endedEarly({ exitCode }: LaunchResult): never {
    const said = this.#said.split('\n').findLast((line) => /\S/.test(line) && !/^(See|Run) 'docker/.test(line)) ?? '';
    throw new CordonError(
      'launch',
      `${this.#engine.name} started no container (exit code ${exitCode})${said === '' ? '' : `: ${said}`}`,
      { hint: `${said === '' ? 'what it said stands above; ' : ''}nothing was handed over to it` },
    );
  }

  done(): void {
    for (const undo of this.#undo.splice(0)) undo();
  }

  #hear(chunk: Buffer): void {
    this.#said = (this.#said + chunk.toString('utf8')).slice(-4096);
  }

  #later(milliseconds: number, act: () => void): void {
    const timer = setTimeout(act, milliseconds);
    this.#undo.push(() => clearTimeout(timer));
  }
}

function launcherFile(): string {
  const launcher = nativeLauncher();
  if (launcher === undefined)
    throw new CordonError(
      'isolation',
      'the native launcher is not there, and nothing else can start a command inside',
      {
        hint: 'cordon doctor says how to get it',
      },
    );
  return realpathSync(launcher);
}

/** Docker mounts an image's volumes where links of the image lead, also over what is shown. Podman is told to leave them out. */
function refuseVolumes(volumes: readonly string[]): void {
  if (volumes.length === 0) return;
  const names = volumes.map((path) => JSON.stringify(path)).join(', ');
  throw new CordonError('launch', `the image brings volumes, which may cover what is shown inside: ${names}`, {
    hint: 'use --in podman:IMAGE, which leaves them out, or an image without VOLUME; nothing was handed over',
  });
}

/** For docker the engine's filter is off, which is right only with ours; and credentials in a folder can only be hidden by it. */
function withBarrier(request: ContainerRequest, engine: Engine, { binds, workspace }: InsidePlaces): ContainerRequest {
  const needs = engine.daemon === 'docker' || binds.some((bind) => pathInside(bind) !== workspace);
  const { policy } = request;
  return needs && policy.isolation === 'auto' ? { ...request, policy: { ...policy, isolation: 'barrier' } } : request;
}

/* ── the engine's client ── */

interface Talk {
  /** What everything that is recorded of it is called by. */
  readonly launch: string;
  /** The container. */
  readonly name: string;
  readonly child: ChildProcess;
  readonly socket: Promise<Socket>;
  /** What the launcher inside has to say first, where others could have connected. */
  readonly word?: string;
  /** With hosts by name, and where it takes the listeners inside. */
  readonly wayOut?: (WayOut & { readonly at: string }) | undefined;
  /** So that the same is begun sooner the next time. */
  readonly keep?: () => void;
  readonly end: () => void;
  /** Only when the client has ended: a daemon makes a folder anew that it was told to mount, and makes it root's. */
  readonly clear?: () => void;
}

interface Means {
  readonly engine: Engine;
  readonly launcher: string;
  readonly places: InsidePlaces;
}

async function begin(request: ContainerRequest, means: Means, options: LaunchOptions): Promise<Talk> {
  if (request.target.kind === 'container') return beginInRunning(request.target.name, request, means, options);
  const { engine } = means;
  const argsWith = (names: StartNames) => argumentsOf(request, means, names, options);
  const state = stateFolderOf(request);
  const keep = () =>
    isCallersOwn(options) ? keepForNextTime({ state, engine, env: request.env, argsWith }) : forget(state);
  const begun = takeBegun();
  removeLeftTalks(state);
  if (begun !== undefined && isCallersOwn(options) && isSame(begun, engine, argsWith(begun))) {
    const { client, server, socket } = takeOver(begun);
    return opened({ request, means, names: begun, keep }, { child: client as unknown as ChildProcess, server, socket });
  }
  if (begun !== undefined) leave(begun);
  const names = { launch: newLaunchId(), inside: drawLot(), folder: makeTalkFolder(state) };
  try {
    mkdirSync(talkIn(names.folder));
    chmodSync(talkIn(names.folder), 0o755);
    const listening = await listenOnce(join(talkIn(names.folder), SOCKET));
    const start = () => startClient(engine.program, argsWith(names), { engine, options });
    return await opened({ request, means, names, keep }, { ...listening, start });
  } catch (error) {
    removeFolder(names);
    throw error;
  }
}

const nameOf = ({ launch }: StartNames) => `cordon-${launch}`;
const removeFolder = ({ folder }: StartNames) => rmSync(folder, { recursive: true, force: true });

/** Nothing of what it reads and writes goes through our hands, and no terminal is in between. */
const isCallersOwn = (options: LaunchOptions) =>
  stdioOf(options).every((one) => one === 'inherit') && !wantsTerminal(options);

function argumentsOf(
  request: ContainerRequest,
  { engine, launcher, places }: Means,
  names: StartNames,
  options: LaunchOptions,
): string[] {
  const { policy, target, workdir, limits } = request;
  return runArguments(engine, {
    image: target.name,
    name: nameOf(names),
    inside: names.inside,
    launcher,
    talk: talkIn(names.folder),
    binds: places.binds,
    workdir: places.binds.some((bind) => isWithin(workdir, pathInside(bind))) ? workdir : undefined,
    home: homeInMemory(request, places),
    network: policy.network.mode === 'on' ? 'on' : 'off',
    terminal: wantsTerminal(options),
    isolation: policy.isolation,
    limits: limits?.together,
    temporary: limits?.temporary,
  });
}

interface Opening {
  readonly request: ContainerRequest;
  readonly means: Means;
  readonly names: StartNames;
  readonly keep: () => void;
}

type Listening = Awaited<ReturnType<typeof listenOnce>> &
  ({ readonly child: ChildProcess } | { readonly start: () => ChildProcess });

/** What leads out is there before the container. */
async function opened({ request, means, names, keep }: Opening, listening: Listening): Promise<Talk> {
  const { server, socket } = listening;
  let wayOut: WayOut | undefined;
  const end = () => {
    wayOut?.end();
    server.close();
    socket.then((one) => one.destroy()).catch(() => undefined);
  };
  const clear = () => removeFolder(names);
  try {
    wayOut = await wayOutOf(request, { launcher: means.launcher, names });
    const child = 'child' in listening ? listening.child : listening.start();
    const at = talkInside(folderInside(names.inside), LISTENERS);
    const led = wayOut === undefined ? undefined : { ...wayOut, at };
    return {
      launch: names.launch,
      name: nameOf(names),
      child,
      socket,
      word: names.inside,
      wayOut: led,
      keep,
      end,
      clear,
    };
  } catch (error) {
    end();
    clear();
    throw error;
  }
}

/** With hosts by name the container has no network: this is all that leads out. */
async function wayOutOf(
  request: ContainerRequest,
  { launcher, names }: { readonly launcher: string; readonly names: StartNames },
): Promise<WayOut | undefined> {
  const { policy, env, argv, broker } = request;
  if (!isByName(policy.network)) return undefined;
  const outside = wayOut({
    ...{ policy, env, state: stateFolderOf(request), subject: showBytes(argv[0]) },
    ...{ broker: broker?.settings, ssh: broker?.ssh },
  });
  return openWayOut(outside, { launcher, path: join(talkIn(names.folder), LISTENERS), launch: names.launch });
}

/**
 * A running container gets nothing new to mount: the launcher comes as a descriptor of a sealed copy, which no process in there can
 * write to, and the plan over another.
 */
function beginInRunning(
  name: string,
  { workdir, policy }: ContainerRequest,
  means: Means,
  options: LaunchOptions,
): Talk {
  const { engine, launcher, places } = means;
  if (engine.name === 'docker')
    throw new CordonError('launch', `${name} is a container of docker, which gives a running container no descriptor`, {
      hint: 'start the command in a container of its own: --in docker:IMAGE',
    });
  if (policy.network.mode === 'off')
    throw new CordonError('policy', `the network of ${name} is as it is: it cannot be off for one command`, {
      hint: 'leave out --net off, or use --in podman:IMAGE',
    });
  const terminal = wantsTerminal(options) ? ['--tty'] : [];
  const user = [`--user=${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}`];
  const folder = places.workspace === undefined ? [] : [`--workdir=${workdir}`];
  const words = [
    ...['exec', '--interactive', ...terminal, ...user, ...folder, '--preserve-fds', '2', name],
    ...['/proc/self/fd/3', '--ask-fd=4'],
  ];
  const child = startClient(launcher, ['--with-copy', engine.program, ...words], {
    engine,
    options,
    descriptors: true,
  });
  const socket = child.stdio[4] as Socket;
  return { launch: newLaunchId(), name, child, socket: Promise.resolve(socket), end: () => socket.destroy() };
}

interface ClientSettings {
  readonly engine: Engine;
  readonly options: LaunchOptions;
  readonly descriptors?: boolean;
}

/** Without a terminal the client is in a session of its own: a Ctrl-C is told the launcher by us, and only once. */
function startClient(program: string, args: readonly string[], { engine, options, descriptors }: ClientSettings) {
  const terminal = wantsTerminal(options);
  const [stdin, stdout, stderr] = stdioOf(options);
  const typed = stdin === 'inherit' && !terminal && process.stdin.isTTY;
  const child = spawn(program, args, {
    env: engine.env,
    cwd: '/',
    detached: !terminal,
    stdio: [typed ? 'pipe' : stdin, stdout, stderr, ...(descriptors === true ? (['ignore', 'pipe'] as const) : [])],
  });
  if (typed && child.stdin !== null) {
    child.stdin.on('error', () => undefined);
    process.stdin.pipe(child.stdin);
    child.once('close', () => process.stdin.unpipe().unref());
  }
  return child;
}

const wantsTerminal = ({ stdin = 'inherit', stdout = 'inherit' }: LaunchOptions) =>
  stdin === 'inherit' && stdout === 'inherit' && process.stdin.isTTY === true && process.stdout.isTTY === true;

/** Root's home is in every image, and one that the policy shows is the real one. */
function homeInMemory({ env }: ContainerRequest, { binds }: InsidePlaces): string | undefined {
  const { home } = homesOf(env);
  if (home === undefined || home === '/' || home === '/root') return undefined;
  return binds.some((bind) => isWithin(home, pathInside(bind))) ? undefined : home;
}

/* ── the conversation ── */

/** The first that connects, and no other: the launcher is the first process of its container. It has yet to say the word. */
function listenOnce(path: string): Promise<{ server: Server; socket: Promise<Socket> }> {
  const server = createServer();
  const socket = new Promise<Socket>((resolve) => {
    server.once('connection', (connected) => {
      server.close();
      resolve(connected);
    });
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => {
      // The folder is the caller's alone; inside the user may have another number.
      chmodSync(path, 0o666);
      resolve({ server, socket });
    });
  });
}
