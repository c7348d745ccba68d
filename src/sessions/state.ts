import { closeSync, constants, mkdirSync, openSync, rmdirSync, rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { CordonError } from '../host/errors.ts';
import { ensureFolder, namesIn } from '../host/files.ts';
import { fateOf, ownMark } from './owner.ts';

const SESSION_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/** The folder of one session below that of its process, so that what a dead process left is known by its name. */
export class SessionFolder {
  readonly path: string;
  readonly #process: string;

  private constructor(owner: string, id: string) {
    this.#process = owner;
    this.path = join(owner, id);
    make(owner, this.path, id);
    sayAlive(owner);
  }

  static async open(state: string, id: string): Promise<SessionFolder> {
    if (!SESSION_ID.test(id))
      throw new CordonError('session', 'the id of a session has letters, digits, _ and - only, at most 64');
    const sessions = join(state, 'sessions');
    await sweep(sessions);
    return new SessionFolder(join(sessions, ownMark()), id);
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
    fallSilent(this.#process);
  }
}

interface Alive {
  readonly socket: AliveSocket;
  sessions: number;
}

/** One socket for all sessions of this process in one state folder, as long as there are any. */
const alive = new Map<string, Alive>();

function sayAlive(owner: string): void {
  const known = alive.get(owner) ?? { socket: new AliveSocket(owner), sessions: 0 };
  alive.set(owner, known);
  known.sessions++;
}

function fallSilent(owner: string): void {
  const known = alive.get(owner);
  if (known === undefined || --known.sessions > 0) return;
  alive.delete(owner);
  known.socket.close();
  try {
    rmdirSync(owner);
  } catch {
    // Somebody put something there, or took it away.
  }
}

function make(owner: string, path: string, id: string): void {
  try {
    ensureFolder(owner);
    mkdirSync(path, 0o700);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const taken = code === 'EEXIST';
    throw new CordonError(
      'session',
      taken ? `the session ${id} is open already` : `no folder for a session (${code})`,
      {
        where: owner,
        hint: taken ? 'close it first, or leave the id to Cordon' : 'the state folder must be writable',
      },
    );
  }
}

const swept = new Map<string, Promise<void>>();

/** What a process that was killed left behind; once per process, since only the dead leave anything. */
function sweep(sessions: string): Promise<void> {
  const sweeping = swept.get(sessions) ?? removeAbandoned(sessions);
  swept.set(sessions, sweeping);
  return sweeping;
}

async function removeAbandoned(sessions: string): Promise<void> {
  for (const mark of namesIn(sessions)) {
    const folder = join(sessions, mark);
    const fate = fateOf(mark);
    if (fate === 'gone' || (fate === 'asking' && (await isAbandoned(folder))))
      rmSync(folder, { recursive: true, force: true });
  }
}

const NAME = 'alive';

/**
 * A socket in a folder says that its owner is alive, to whoever is in another PID namespace of the same kernel and can't see the
 * process: the kernel refuses connections from the moment the owner is dead, however it died. Nothing is ever said over it.
 */
class AliveSocket {
  readonly #folder: number;
  readonly #server: Server;

  constructor(folder: string) {
    this.#folder = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
    this.#server = createServer((visitor) => visitor.on('error', () => undefined).destroy());
    // Where a file system has no sockets, others can't tell, and leave the folder alone.
    this.#server.on('error', () => undefined);
    this.#server.listen(this.#path).unref();
  }

  /** By its descriptor: the name of a socket may have 107 bytes. */
  get #path(): string {
    return `/proc/self/fd/${this.#folder}/${NAME}`;
  }

  close(): void {
    this.#server.close();
    rmSync(this.#path, { force: true });
    closeSync(this.#folder);
  }
}

/** Whether the owner of this folder is surely dead. */
async function isAbandoned(folder: string): Promise<boolean> {
  let descriptor: number;
  try {
    descriptor = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  } catch {
    return false;
  }
  try {
    return await isRefused(`/proc/self/fd/${descriptor}/${NAME}`);
  } finally {
    closeSync(descriptor);
  }
}

/** Only this one answer means that nobody listens: without a socket, or the right to ask, nothing is known. */
function isRefused(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(false);
    });
    socket.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code === 'ECONNREFUSED'));
  });
}
