import { type IncomingHttpHeaders, type RequestOptions, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { inject, onTestFinished } from 'vitest';
import { callOf, HEADERS, INITIALIZE } from '../mcp/http-support.ts';
import { type Called, readCall } from '../mcp/replica-support.ts';
import { eventually, FRONT_NAMESPACE, getIn, NAMESPACE } from './kubernetes.ts';

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** No connection came about: nothing can have run. */
export class NotReached extends Error {}
/** There was one, and nothing was heard for longer than the client waits. */
export class Silent extends Error {}

const CONNECT_MS = 10_000;

/** Sends and reads one request over a connection of its own. */
function exchange(url: string, options: RequestOptions, body: string | undefined, patience?: number): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { ...options, agent: false }, (answer) => {
      text(answer).then(
        (said) => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text: said }),
        reject,
      );
    });
    let isThere = false;
    const connecting = setTimeout(() => asked.destroy(new Error('no answer to a connection')), CONNECT_MS);
    asked.on('socket', (socket) => {
      socket.once('connect', () => {
        isThere = true;
        clearTimeout(connecting);
        if (patience !== undefined) asked.setTimeout(patience, () => asked.destroy(new Silent('nothing was heard')));
      });
    });
    asked.on('error', (error) => {
      clearTimeout(connecting);
      reject(isThere ? error : new NotReached(`${url}: ${error.message}`));
    });
    asked.end(body);
  });
}

const tokenOf = (name: string) => inject('tokens')[name] ?? inject('others')[name];

/** The two servers of a StatefulSet, as a client knows them. */
class Servers {
  readonly #namespace: string;
  readonly #set: string;
  readonly #host: string;

  constructor(namespace: string, set: string, host: string) {
    this.#namespace = namespace;
    this.#set = set;
    this.#host = host;
  }

  /** One request to a pod, as a client sends it that knows the servers by the name of their Service; `fetch` would name the address. */
  ask = async (origin: string, name: string, body?: object, session = '', patience?: number): Promise<Answer> => {
    const id = session === '' ? {} : { 'mcp-session-id': session };
    const method = body === undefined ? 'DELETE' : 'POST';
    const headers = { ...HEADERS, ...id, host: this.#host, authorization: `Bearer ${tokenOf(name)}` };
    return exchange(
      `${origin}/mcp`,
      { method, headers },
      body === undefined ? undefined : JSON.stringify(body),
      patience,
    );
  };

  pod = (server: 0 | 1) => getIn(this.#namespace, 'pod', `${this.#set}-${server}`);

  /** Where a server is now: a pod that is made anew has another address. */
  originOf = async (server: 0 | 1): Promise<string> => `http://${(await this.pod(server)).status.podIP}:8730`;

  /** A session until the test ends: a user may have only some at a time. */
  open = async (name: string, origin: string): Promise<string> => {
    const { status, headers } = await this.ask(origin, name, INITIALIZE);
    const id = headers['mcp-session-id'];
    if (typeof id !== 'string') throw new Error(`${name} gets no session: ${status}`);
    // Where the server is gone, so is the session.
    onTestFinished(() => this.ask(origin, name, undefined, id).then(ignore, ignore));
    return id;
  };

  call = async (name: string, id: string, command: string, origin: string): Promise<Called> => {
    const { status, text: said } = await this.ask(origin, name, callOf(command), id);
    return readCall(status, said);
  };

  /** A call whose client goes away when the result is called. */
  abandon = (name: string, id: string, command: string, origin: string): (() => void) => {
    const authorization = `Bearer ${inject('tokens')[name]}`;
    const headers = { ...HEADERS, 'mcp-session-id': id, host: this.#host, authorization };
    const asked = request(`${origin}/mcp`, { method: 'POST', headers, agent: false });
    asked.on('error', ignore).end(JSON.stringify(callOf(command)));
    return () => void asked.destroy();
  };

  /** Both servers are ready, and each knows the other by its name: names of new pods come to be known a moment later. */
  bothServe = async (): Promise<[string, string]> => {
    const origins = (await Promise.all(
      ([0, 1] as const).map((server) =>
        eventually(async () => {
          const { metadata, status } = await this.pod(server);
          if (metadata.deletionTimestamp !== undefined || !isReady(status))
            throw new Error(`${metadata.name} is not ready: ${JSON.stringify(status)}`);
          return `http://${status.podIP}:8730`;
        }),
      ),
    )) as [string, string];
    for (const origin of origins)
      for (const name of Object.keys(inject('tokens')))
        await eventually(async () => {
          // Of a session that is not known only the server says so that has the user; 401 for a token that was taken back.
          const { status } = await this.ask(origin, name, callOf('true'), 'none');
          if (status !== 404 && status !== 401) throw new Error(`${name} at ${origin}: ${status}`);
        });
    return origins;
  };
}

const ignore = () => undefined;

/** deploy/: servers that share their users. */
export const { ask, originOf, open, call, bothServe } = new Servers(NAMESPACE, 'cordon', 'cordon-front.cordon');

/** deploy/pods: fronts, with a pod for each user. */
export const FRONTS = new Servers(FRONT_NAMESPACE, 'front', 'cordon.cordon-front');

// biome-ignore lint/suspicious/noExplicitAny: whatever the API server answers
export const isReady = (status: any): boolean =>
  (status.conditions ?? []).some(
    (one: { type: string; status: string }) => one.type === 'Ready' && one.status === 'True',
  );
