import type { IncomingMessage } from 'node:http';
import { Agent, type RequestOptions, request } from 'node:https';
import { text } from 'node:stream/consumers';
import type { ApiAccess } from './kubeconfig.ts';

/** How long the API server has for an answer. */
const ANSWER_MS = 10_000;

/** It answered, and with a refusal. */
export class ApiRefusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** No answer came: it is not there, or too busy. */
export class Away extends Error {}

// biome-ignore lint/suspicious/noExplicitAny: what the API server answers is looked at where it is used
type Answer = any;

/** The few requests that pods need, over Node's own https. */
export class Api {
  readonly #access: ApiAccess;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 32 });

  constructor(access: ApiAccess) {
    this.#access = access;
  }

  options(path: string, more: RequestOptions = {}): RequestOptions {
    const { server, ca, cert, key, token } = this.#access;
    const bearer = token();
    return {
      host: server.hostname.replace(/^\[|\]$/g, ''),
      port: server.port === '' ? 443 : server.port,
      path: `${server.pathname.replace(/\/$/, '')}${path}`,
      ...(ca === undefined ? {} : { ca }),
      ...(cert === undefined ? {} : { cert, key }),
      ...more,
      headers: {
        accept: 'application/json',
        ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
        ...more.headers,
      },
    };
  }

  async ask(method: string, path: string, body?: object): Promise<Answer> {
    const sent = body === undefined ? undefined : JSON.stringify(body);
    const headers = sent === undefined ? {} : { 'content-type': 'application/json' };
    const answer = await this.#send(path, { method, headers, agent: this.#agent, timeout: ANSWER_MS }, sent);
    return JSON.parse(await whole(answer));
  }

  /** What changes from a version on, one object at a time, until the connection ends. */
  async watch(path: string, ended: AbortSignal, take: (event: Answer) => void): Promise<void> {
    const answer = await this.#send(path, { method: 'GET', agent: false, signal: ended });
    if (answer.statusCode !== 200) await whole(answer);
    let rest = '';
    for await (const chunk of answer.setEncoding('utf8') as AsyncIterable<string>) {
      const lines = `${rest}${chunk}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) take(JSON.parse(line));
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  /** The time is for the head of the answer; a watch may be silent for long after that. */
  #send(path: string, more: RequestOptions, body?: string): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const asked = request(this.options(path, more), (answer) => {
        clearTimeout(timer);
        resolve(answer);
      });
      const timer = setTimeout(() => asked.destroy(new Error('no answer in time')), ANSWER_MS);
      asked.once('error', (error: NodeJS.ErrnoException) => {
        clearTimeout(timer);
        reject(new Away(error.code ?? error.message));
      });
      asked.end(body);
    });
  }
}

async function whole(answer: IncomingMessage): Promise<string> {
  const said = await text(answer).catch((error: Error) => {
    throw new Away(error.message);
  });
  const status = answer.statusCode ?? 0;
  if (status < 200 || status > 299) throw new ApiRefusal(status, messageIn(said));
  return said;
}

/** Refusals come as JSON with a message, or as a line of text. */
export function messageIn(said: string): string {
  try {
    return String(JSON.parse(said).message ?? said).slice(0, 500);
  } catch {
    return said.trim().slice(0, 500);
  }
}
