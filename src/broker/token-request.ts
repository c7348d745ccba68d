import { type LogInName, logInOf } from '../policy/log-ins.ts';
import { type Head, type RequestRefusal, valuesOf, type WholeBody } from './head.ts';
import type { Held } from './held.ts';
import { hasOtherMethod } from './mint.ts';

/** A request for tokens, as it may be sent: what it says is said anew, so that the server reads what was read here. */
export type TokenRequest =
  | { readonly wants: 'renewal'; readonly held: Held; readonly body: (value: string) => Buffer }
  | { readonly wants: 'log-in'; readonly body: Buffer };

const LOG_IN_GRANTS = ['authorization_code', 'urn:ietf:params:oauth:grant-type:device_code'];

/**
 * What is asked for at an address that hands out tokens. Placeholders in it were found already, all in allowed places. In this order:
 * 1. nothing that says who asks stands elsewhere than in the body; 2. the client is the one that the log-in is for; 3. it renews what this
 * launch holds, or 4. begins a log-in and carries nothing of this launch. All else is refused.
 */
export function tokenRequest(
  agent: LogInName,
  head: Head,
  body: WholeBody | undefined,
  held: readonly Held[],
): TokenRequest | RequestRefusal {
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

type Texts = Readonly<Record<string, unknown>>;

interface ReadFields {
  readonly fields: Texts;
  readonly written: (fields: Texts) => Buffer;
}

/** Of a body that can be read in one way only. */
function fieldsOf({ data, type }: WholeBody): ReadFields | undefined {
  const text = data.toString('utf8');
  if (/^application\/x-www-form-urlencoded\b/i.test(type)) {
    const pairs = [...new URLSearchParams(text)];
    const isTwice = new Set(pairs.map(([name]) => name)).size < pairs.length;
    const written = (fields: Texts) => Buffer.from(String(new URLSearchParams(fields as Record<string, string>)));
    return isTwice ? undefined : { fields: Object.fromEntries(pairs), written };
  }
  if (!/^application\/json\b/i.test(type)) return undefined;
  try {
    const fields: unknown = JSON.parse(text);
    if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) return undefined;
    return { fields: fields as Texts, written: (some) => Buffer.from(JSON.stringify(some)) };
  } catch {
    return undefined;
  }
}
