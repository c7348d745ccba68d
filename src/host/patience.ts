import type http from 'node:http';
import type { Duplex } from 'node:stream';

/** Has to be over in time, however slowly it goes. */
export class Patience {
  readonly #ms: number;
  readonly #over: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(ms: number, over: () => void) {
    this.#ms = ms;
    this.#over = over;
  }

  begin(): void {
    this.#timer ??= setTimeout(this.#over, this.#ms);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

/**
 * A head that was begun has to have an end, on connections that others accepted: Node counts that time only where it listens itself. It
 * counts from the connection, and then from the end of each answer.
 */
export function cutOffSlowHeads(server: http.Server, ms: number): void {
  const starts = new WeakMap<Duplex, Patience>();
  server.on('connection', (client: Duplex) => {
    const start = new Patience(ms, () => client.destroy());
    starts.set(client, start);
    client.once('close', () => start.end());
    start.begin();
  });
  const hear = (request: http.IncomingMessage, response: http.ServerResponse) => {
    const client = request.socket;
    const start = starts.get(client);
    start?.end();
    // A connection that is gone may be taken off the request by then.
    response.once('close', () => {
      if (!client.destroyed) start?.begin();
    });
  };
  server.on('request', hear).on('checkContinue', hear);
  for (const event of ['upgrade', 'connect'])
    server.on(event, (_request: unknown, client: Duplex) => starts.get(client)?.end());
}
