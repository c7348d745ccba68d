import { type Bytes, textOfBytes } from '../host/bytes.ts';
import { type LogInName, logInOf } from '../policy/log-ins.ts';
import { type Head, type RequestRefusal, valuesOf, type WholeBody } from './head.ts';
import type { Dialled, Held } from './held.ts';
import type { Holdings } from './holdings.ts';
import { isFields, type LogInFields } from './log-in-file.ts';
import type { Asked, LogIns } from './log-ins.ts';
import { asSent } from './outgoing.ts';
import { hasOtherMethod } from './override.ts';
import type { RealServer } from './real-server.ts';
import { relay, respondInstead, wholeBody } from './response.ts';
import { logInRefusal, Refused, type RequestLog } from './say.ts';
import { type ClientSide, endToEnd, type UpstreamResponse } from './sides.ts';

/** Asks a person whether the command may log in anew. */
export type Confirm = (agent: LogInName, dialled: Dialled, isWaiting: () => boolean) => Promise<boolean>;

export interface TokenOptions {
  readonly dialled: Dialled;
  readonly holdings: Holdings;
  readonly upstream: RealServer;
  readonly logIns: LogIns;
  /** Nobody is there to be asked where it is left out. */
  readonly confirm?: Confirm;
}

/** Tokens of a log-in: renewed outside, or made anew where a person agrees. The command gets placeholders. */
export async function exchangeTokens(
  client: ClientSide,
  asking: Asking,
  options: TokenOptions,
  log: RequestLog,
): Promise<void> {
  const { agent } = asking;
  const request = tokenRequest(client.head, asking);
  if ('refused' in request) throw new Refused(request);
  const { holdings, logIns } = options;
  const ask = (sent: Buffer) => askForTokens(client, agent, sent, options.upstream, log);
  if (request.wants === 'log-in') await requireConfirmed(client, agent, options);
  const given =
    request.wants === 'renewal'
      ? await logIns.renew(request.held, (value) => ask(request.body(textOfBytes(value as Bytes) ?? value)))
      : await logIns.begin(agent, () => ask(request.body));
  if ('other' in given) return relay(client, given.other, holdings, log);
  log.status = 200;
  const headers = [
    ['content-type', 'application/json'],
    ['cache-control', 'no-store'],
  ] as const;
  respondInstead(client, { status: 200, headers }, given.body, holdings);
  log.write('swapped', { rule: given.again ? 'again' : 'renewed' });
}

/** Whose tokens the command asks for, and with what: its body, and the credentials that stand in the request. */
interface Asking {
  readonly agent: LogInName;
  readonly body: WholeBody | undefined;
  readonly held: readonly Held[];
}

/** A request for tokens, as it may be sent: what it says is said anew, so that the server reads what was read here. */
type TokenRequest =
  | { readonly wants: 'renewal'; readonly held: Held; readonly body: (value: string) => Buffer }
  | { readonly wants: 'log-in'; readonly body: Buffer };

const LOG_IN_GRANTS = ['authorization_code', 'urn:ietf:params:oauth:grant-type:device_code'];

/**
 * What is asked for at an address that hands out tokens. Placeholders in it were found already, all in allowed places. In this order:
 * 1. nothing that says who asks stands elsewhere than in the body; 2. the client is the one that the log-in is for; 3. it renews what this
 * launch holds, or 4. begins a log-in and carries nothing of this launch. All else is refused.
 */
function tokenRequest(head: Head, { agent, body, held }: Asking): TokenRequest | RequestRefusal {
  const { client } = logInOf(agent);
  const no = (refused: string, reason: string, hint: string): RequestRefusal => ({
    refused,
    credential: held[0]?.name ?? '',
    reason,
    hint,
  });
  const unclear = (reason: string) => no('mint', reason, 'send it as the agent itself does, or log in outside');
  if (head.method !== 'POST' || hasOtherMethod(head.headers)) return unclear('tokens are asked for with POST');
  if (head.target.includes('?') || valuesOf(head.headers, 'authorization').length > 0)
    return unclear(`a request for tokens of ${agent} says all that it says in its body`);
  const read = body === undefined ? undefined : fieldsOf(body);
  if (read === undefined) return unclear(`a request for tokens of ${agent} has a short body of JSON or a form`);
  const { fields, written } = read;
  if (fields.client_id !== client)
    return no(
      'client',
      `it asks for another client than ${agent}, whose log-in this is`,
      'log in to other programs outside',
    );
  const [one, ...more] = held;
  if (fields.grant_type === 'refresh_token') {
    if (one?.logIn === undefined || more.length > 0 || fields.refresh_token !== one.placeholder)
      return unclear('it would renew a log-in that is none of this launch');
    return { wants: 'renewal', held: one, body: (value) => written({ ...fields, refresh_token: value }) };
  }
  if (!LOG_IN_GRANTS.includes(String(fields.grant_type)) || one !== undefined)
    return unclear('this address hands out new credentials, which the command would then hold itself');
  return { wants: 'log-in', body: written(fields) };
}

interface ReadFields {
  readonly fields: LogInFields;
  readonly written: (fields: LogInFields) => Buffer;
}

/** Of a body that can be read in one way only. */
function fieldsOf({ data, type }: WholeBody): ReadFields | undefined {
  if (/^application\/x-www-form-urlencoded\b/i.test(type)) {
    const pairs = [...new URLSearchParams(data.toString('utf8'))];
    const isTwice = new Set(pairs.map(([name]) => name)).size < pairs.length;
    const written = (fields: LogInFields) => Buffer.from(String(new URLSearchParams(fields as Record<string, string>)));
    return isTwice ? undefined : { fields: Object.fromEntries(pairs), written };
  }
  const fields = /^application\/json\b/i.test(type) ? jsonFields(data) : undefined;
  return fields === undefined ? undefined : { fields, written: (some) => Buffer.from(JSON.stringify(some)) };
}

function jsonFields(data: Buffer): LogInFields | undefined {
  try {
    const fields: unknown = JSON.parse(data.toString('utf8'));
    return isFields(fields) ? fields : undefined;
  } catch {
    return undefined;
  }
}

async function requireConfirmed(
  client: ClientSide,
  agent: LogInName,
  { dialled, confirm }: TokenOptions,
): Promise<void> {
  let isGone = false;
  client.onClose(() => {
    isGone = true;
  });
  const agreed = (await confirm?.(agent, dialled, () => !isGone)) === true;
  // Whoever waits no longer would lose what comes: the next try finds the person's word still good. It is good for one.
  if (!agreed || isGone) throw new Refused(logInRefusal(agent));
}

/** A server that hands out tokens answers at once. */
const TOKENS_MS = 30_000;

/** What is on its way is not given up when the command ends: the server may have replaced the old tokens already. */
async function askForTokens(
  client: ClientSide,
  agent: LogInName,
  body: Buffer,
  upstream: RealServer,
  log: RequestLog,
): Promise<Asked<UpstreamResponse>> {
  const head = { method: 'POST', target: logInOf(agent).path, headers: endToEnd(client.head.headers) };
  let sent: Awaited<ReturnType<RealServer['sendWhole']>> | undefined;
  const late = setTimeout(() => sent?.abort(), TOKENS_MS);
  try {
    sent = await upstream.sendWhole(asSent(head, true), body.length, client.version, (one) => {
      one.body.write(body);
      one.end([]);
    });
    const response = await sent.response;
    log.sent += body.length;
    if (response.status >= 300) return { other: response };
    const answer = await wholeBody(response);
    const fields = jsonFields(answer) ?? {};
    answer.fill(0);
    return { fields };
  } finally {
    clearTimeout(late);
    body.fill(0);
  }
}
