import http from 'node:http';
import type { Duplex } from 'node:stream';
import { collectAfter } from '../host/collect.ts';
import type { MintRule } from '../policy/broker.ts';
import type { LogInName } from '../policy/log-ins.ts';
import type { RequestRefusal } from './head.ts';
import type { BrokerRecord, Dialled, Held } from './held.ts';
import type { ClientSide } from './sides.ts';

export class Refused extends Error {
  readonly refusal: RequestRefusal;

  constructor(refusal: RequestRefusal) {
    super(refusal.reason);
    this.refusal = refusal;
  }
}

/** The one record of a request. */
export class RequestLog {
  readonly #start = performance.now();
  readonly #about: Pick<BrokerRecord, 'host' | 'port' | 'method'>;
  readonly #record: (entry: BrokerRecord) => void;
  #written = false;
  #isCovered = false;
  credentials: readonly string[] = [];
  status: number | undefined;
  sent = 0;
  received = 0;

  constructor({ name, port }: Dialled, method: string, record: (entry: BrokerRecord) => void) {
    this.#about = { host: name, port, method: /^[A-Z]{1,20}$/.test(method) ? method : '?' };
    this.#record = record;
  }

  count(what: 'sent' | 'received'): (bytes: number) => void {
    return (bytes) => {
      this[what] += bytes;
      collectAfter(bytes);
    };
  }

  /** Of what lies in buffers that are used again. */
  countStraight(what: 'sent' | 'received'): (bytes: number) => void {
    return (bytes) => {
      this[what] += bytes;
    };
  }

  write(verdict: BrokerRecord['verdict'], why: { rule?: string; reason?: string; credential?: string } = {}): void {
    if (this.#written) return;
    this.#written = true;
    const { credential, ...rest } = why;
    this.#record({
      ...this.#about,
      credentials: credential === undefined || credential === '' ? this.credentials : [credential],
      verdict,
      status: this.status,
      sent: this.sent,
      received: this.received,
      milliseconds: Math.round((performance.now() - this.#start) * 10) / 10,
      ...rest,
    });
  }

  /** A token of the server's was kept back. */
  covered(): void {
    this.#isCovered = true;
  }

  /** It went through. */
  passed(): void {
    this.write(this.credentials.length > 0 ? 'swapped' : 'sent', this.#isCovered ? { rule: 'token' } : {});
  }

  refused({ refused, reason, credential }: RequestRefusal): void {
    this.write('refused', { rule: refused, reason, credential });
  }
}

export function bodyRefusal(held: Held): RequestRefusal {
  const places = held.rule.places.filter(({ kind }) => kind !== 'body');
  return {
    refused: 'place',
    credential: held.name,
    reason: 'it stands in the body, where it is never sent on',
    hint:
      places.length === 0
        ? 'send a body of at most 1 MiB with its length'
        : 'send it in the place that was declared, once',
  };
}

export function mintRefusal(log: RequestLog, mint: MintRule): RequestRefusal {
  return {
    refused: 'mint',
    credential: log.credentials[0] ?? '',
    reason: `this address hands out new credentials (${mint.about}), which the command would then hold itself`,
    hint: 'do this outside, and store what comes of it with cordon creds set',
  };
}

export function logInRefusal(agent: LogInName): RequestRefusal {
  return {
    refused: 'log-in',
    credential: '',
    reason: `this is a new log-in to ${agent}, and nobody agreed to it on the terminal of this launch`,
    hint: 'log in outside, or try again and type what Cordon asks for there',
  };
}

export function refusalText({ credential, reason, hint, refused }: RequestRefusal, { name, port }: Dialled): string {
  const what = credential === '' ? 'this request was not sent' : `${credential} was not sent`;
  return `cordon: ${what} to ${name}:${port}: ${reason}.\ncordon: ${hint} (rule: ${refused}).\n`;
}

const UNVERIFIED =
  /^(?:CERT_|DEPTH_|SELF_SIGNED|UNABLE_TO|ERR_TLS_CERT|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|ERR_SSL)/;
export const ruleOf = ({ code = '' }: NodeJS.ErrnoException) => (UNVERIFIED.test(code) ? 'unverified' : 'unreachable');

export function failureText(error: NodeJS.ErrnoException, { name, port }: Dialled, log: RequestLog): string {
  const about = log.credentials.length === 0 ? '' : ` (with ${log.credentials.join(', ')})`;
  const why = error.code === undefined ? error.message : `${error.message} [${error.code}]`;
  return ruleOf(error) === 'unverified'
    ? `cordon: nothing was sent to ${name}:${port}${about}: its certificate could not be verified: ${why}.\ncordon: if your company has a CA of its own, name its file in SSL_CERT_FILE or NODE_EXTRA_CA_CERTS outside.\n`
    : `cordon: ${name}:${port} did not answer${about}: ${why}.\n`;
}

export function refuse(client: ClientSide, refusal: RequestRefusal, dialled: Dialled, log: RequestLog): void {
  log.refused(refusal);
  sayAndEnd(client, 403, refusalText(refusal, dialled));
}

export function fail(client: ClientSide, error: NodeJS.ErrnoException, dialled: Dialled, log: RequestLog): void {
  log.write('failed', { rule: ruleOf(error), reason: error.code ?? error.message });
  sayAndEnd(client, 502, failureText(error, dialled, log));
}

/** An answer that has begun can only be broken off, which is what the client then sees. */
function sayAndEnd(client: ClientSide, status: number, text: string): void {
  if (client.hasResponded()) {
    client.abort();
    return;
  }
  const body = Buffer.from(text);
  const to = client.respond({
    status,
    headers: [
      ['content-type', 'text/plain; charset=utf-8'],
      ['content-length', String(body.length)],
      ['x-cordon', status === 403 ? 'refused' : 'failed'],
      ...(client.body instanceof http.IncomingMessage ? ([['connection', 'close']] as const) : []),
    ],
  });
  to.write(body);
  client.end([]);
  client.body.resume();
}

export function refuseRaw(socket: Duplex, text: string, status = 403): void {
  const body = Buffer.from(text);
  socket.end(
    `HTTP/1.1 ${status} ${http.STATUS_CODES[status]}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ${body.length}\r\nX-Cordon: ${status === 403 ? 'refused' : 'failed'}\r\nConnection: close\r\n\r\n${text}`,
  );
}
