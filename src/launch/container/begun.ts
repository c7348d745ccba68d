import { EventEmitter } from 'node:events';
import { closeSync, readSync, renameSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { createServer, type Server, Socket } from 'node:net';
import { join } from 'node:path';
import { bytesOfText, sha256 } from '../../host/bytes.ts';
import { ensureFolder, quietly, textIn } from '../../host/files.ts';
import { begunDescriptors, nameToBegin, type ParentEnv } from '../../host/parent-env.ts';
import type { Controlled } from '../ending.ts';
import { keptFolder, trimKeptPlans } from '../kept-plans.ts';
import { SOCKET } from './arguments.ts';
import type { Engine } from './engine.ts';
import { talkIn } from './talk-folder.ts';

/*
 * The native front begins an engine's client with what the same command was begun with the last time, while this process loads and
 * decides (native/src/begun.c). Nothing is decided from what it began: the client is taken over only where this process would have begun
 * it in the very same words, and is left alone otherwise.
 */

/** What is another for each start. */
export interface StartNames {
  readonly launch: string;
  /** By lot, as in `folderInside`. */
  readonly inside: string;
  readonly folder: string;
}

export interface Begun extends StartNames {
  readonly pid: number;
  readonly hasPipe: boolean;
  readonly program: string;
  /** With their values, as `NAME=value`. */
  readonly variables: readonly string[];
  readonly args: readonly string[];
}

/** The length comes first, in eight digits. */
export function takeBegun(): Begun | undefined {
  const descriptors = begunDescriptors();
  if (descriptors === undefined) return undefined;
  const text = quietly(() => readExactly(descriptors.line, Number(readExactly(descriptors.line, 8))));
  if (text === undefined) return undefined;
  const [pid, launch = '', inside = '', folder = '', input, program = '', ...rest] = text.split('\0').slice(0, -1);
  const end = rest.indexOf('');
  return {
    ...{ pid: Number(pid), launch, inside, folder, program, hasPipe: input === 'pipe' },
    ...{ variables: rest.slice(0, end), args: rest.slice(end + 1, -1) },
  };
}

function readExactly(descriptor: number, length: number): string {
  const bytes = Buffer.alloc(length);
  for (let got = 0; got < length; ) {
    const more = readSync(descriptor, bytes, got, length - got, null);
    if (more === 0) throw new Error('nothing was begun');
    got += more;
  }
  return bytes.toString('utf8');
}

/** Whether it is what would be started now. */
export function isSame(begun: Begun, { program, env }: Engine, args: readonly string[]): boolean {
  const same = (one: readonly string[], other: readonly string[]) => one.join('\0') === other.join('\0');
  return begun.program === program && same(begun.variables, variablesIn(env)) && same(begun.args, args);
}

const namesIn = (env: NodeJS.ProcessEnv) =>
  Object.keys(env)
    .filter((name) => env[name] !== undefined)
    .sort();

const variablesIn = (env: NodeJS.ProcessEnv) => namesIn(env).map((name) => `${name}=${env[name]}`);

/** Who began it sees to its end. */
export function leave({ hasPipe }: Begun): void {
  const { listener, line, input } = begunDescriptors() ?? {};
  for (const one of [listener, line, ...(hasPipe ? [input] : [])]) if (one !== undefined) closeSync(one);
}

/** The client as a child that is somebody else's: its end is told over the line. */
class BegunClient extends EventEmitter implements Controlled {
  readonly pid: number;
  readonly stdin = null;
  readonly stdout = null;
  readonly stderr = null;
  readonly stdio = [];
  #ended = false;

  constructor({ pid }: Begun, line: Socket) {
    super();
    this.pid = pid;
    let told = '';
    line.on('data', (chunk: Buffer) => {
      told += chunk.toString('latin1');
    });
    line.once('error', () => undefined);
    const end = () => this.#end(/^(\d{1,3})\n$/.exec(told)?.[1]);
    line.on('data', () => told.endsWith('\n') && end());
    line.once('close', end);
  }

  kill(signal: NodeJS.Signals = 'SIGTERM'): boolean {
    return !this.#ended && quietly(() => process.kill(this.pid, signal)) === true;
  }

  /** Without a word it is not known how it ended. */
  #end(code = '125'): void {
    if (this.#ended) return;
    this.#ended = true;
    this.emit('exit', Number(code), null);
    this.emit('close', Number(code), null);
  }
}

export interface TakenOver {
  readonly client: BegunClient;
  readonly server: Server;
  /** What the launcher inside connects with. */
  readonly socket: Promise<Socket>;
}

/** From now on it is ours, with the input that is the caller's. */
export function takeOver(begun: Begun): TakenOver {
  const { listener, line, input } = begunDescriptors() as NonNullable<ReturnType<typeof begunDescriptors>>;
  writeSync(line, 'a');
  const spoken = new Socket({ fd: line });
  const client = new BegunClient(begun, spoken);
  client.once('close', () => spoken.destroy());
  const server = createServer();
  const socket = new Promise<Socket>((resolve) => {
    server.once('connection', (connected) => {
      server.close();
      // Node removes only what it made itself, and a command is not to find it.
      rmSync(join(talkIn(begun.folder), SOCKET), { force: true });
      resolve(connected);
    });
  });
  server.listen({ fd: listener });
  if (begun.hasPipe) passInput(client, new Socket({ fd: input, readable: false, writable: true }));
  return { client, server, socket };
}

function passInput(client: BegunClient, sink: Socket): void {
  sink.on('error', () => undefined);
  process.stdin.pipe(sink);
  client.once('close', () => {
    process.stdin.unpipe().destroy();
    sink.destroy();
  });
}

/* ── for the next time ── */

/** In the place of what is another for each start: nothing that a path can hold without being odd. */
const MARKS: StartNames = { launch: '\u0001', inside: '\u0002', folder: '\u0003' };

/** A start that can't be begun ahead is begun by nobody. */
export interface ToKeep {
  readonly state: string | undefined;
  readonly engine: Engine;
  readonly env: ParentEnv;
  readonly argsWith: (names: StartNames) => readonly string[];
}

/** No value is written down: of the engine's environment only the names, whose values the front has itself. */
export function keepForNextTime({ state, engine, env, argsWith }: ToKeep): void {
  const name = nameToBegin();
  if (name === undefined || state === undefined) return;
  // PATH the front makes of the caller's, by the same rule.
  const isCallers = (one: string) =>
    one === 'PATH' || env.peek(bytesOfText(one)) === bytesOfText(engine.env[one] ?? '');
  const [names, args] = [namesIn(engine.env), argsWith(MARKS)];
  const plain = argsWith({ launch: '', inside: '', folder: '' });
  const isOdd = plain.some((word) => word === '' || /[\u0000-\u0003]/.test(word));
  if (engine.name !== 'podman' || isOdd || !names.every(isCallers)) return;
  const body = [engine.program, ...names, '', ...args, ''].map((word) => `${word}\0`).join('');
  const file = join(keptFolder(state), name);
  const text = `cordon-begin 1 ${sha256(body)}\n${body}`;
  if (textIn(file) === text) return;
  quietly(() => {
    ensureFolder(keptFolder(state));
    writeFileSync(`${file}.${process.pid}`, text, { mode: 0o600, flag: 'wx' });
    renameSync(`${file}.${process.pid}`, file);
    trimKeptPlans(state);
  });
}

export function forget(state: string | undefined): void {
  const name = nameToBegin();
  if (name !== undefined && state !== undefined) rmSync(join(keptFolder(state), name), { force: true });
}
