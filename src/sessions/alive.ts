import { closeSync, constants, openSync, rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';

const NAME = 'alive';

/**
 * A socket in a folder says that its owner is alive, to whoever is in another PID namespace of the same kernel and can't see the
 * process: the kernel refuses connections from the moment the owner is dead, however it died. Nothing is ever said over it.
 */
export class AliveSocket {
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
export async function isAbandoned(folder: string): Promise<boolean> {
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
