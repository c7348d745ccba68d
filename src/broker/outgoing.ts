import { awsKeysAmong, isSignedForAws, type Resigned, resigned } from './aws.ts';
import { answerTo, type Head, type Header, type Swapped, useRefusal, valuesOf, type WholeBody } from './head.ts';
import type { Dialled } from './held.ts';
import type { Holdings } from './holdings.ts';
import { Refused } from './say.ts';
import { type ClientSide, endToEnd } from './sides.ts';

/** Where a request goes, and what may go there with it. */
interface Destination {
  readonly dialled: Dialled;
  readonly holdings: Holdings;
}

/** The request has to name the host that was dialled and that the handshake named, once and in no other way. */
export function requireSameName(
  { head, authorities }: Pick<ClientSide, 'head' | 'authorities'>,
  { name, port }: Dialled,
): void {
  const no = (reason: string) =>
    new Refused({ refused: 'name', credential: '', reason, hint: `ask for ${name} itself` });
  if (authorities.length === 0) throw no('the request names no host');
  const wanted = [name, `${name}:${port}`];
  const other = authorities.find((one) => !wanted.includes(one.toLowerCase()));
  if (other !== undefined) throw no(`the request names the host ${other}, but ${name} was dialled`);
  if (authorities.length > 2) throw no('the request names its host more than once');
  if (!head.target.startsWith('/') && head.target !== '*')
    throw no('the request names a whole address where only a path belongs');
  if (head.method === 'CONNECT') throw no('CONNECT has no meaning at a host itself');
}

/** Requests to AWS carry no key but a signature made with it: they are signed anew, as they go to `authority`. */
export function signedAnew(
  client: ClientSide,
  body: Buffer | undefined,
  { dialled, holdings }: Destination,
  authority: string,
): Resigned {
  const head = withHost(client.head, client.authorities[0] ?? '');
  const keys = isSignedForAws(head) ? awsKeysAmong(holdings.held) : undefined;
  if (keys === undefined) return { head: client.head, credentials: [] };
  const outgoing = (signed: Head) => withHost(asSent(signed, true), authority);
  const answer =
    useRefusal(head, keys.id, dialled) ??
    useRefusal(head, keys.secret, dialled) ??
    resigned(head, outgoing, body ?? (client.hasBody ? 'unread' : undefined), keys);
  if ('refused' in answer) throw new Refused(answer);
  return answer;
}

/** The host by which the request was addressed, where HTTP/2 has it elsewhere or the connection wants it shorter. */
function withHost(head: Head, host: string): Head {
  const others = head.headers.filter(([name]) => name.toLowerCase() !== 'host');
  return { ...head, headers: [['host', host], ...others] };
}

/** With values where placeholders stood, or refused. */
export function withValues(
  head: Head,
  { dialled, holdings }: Destination,
  body?: WholeBody,
): Swapped & { readonly body?: Buffer | undefined } {
  const answer = answerTo(head, { dialled, held: holdings.held, needles: holdings.placeholders, body });
  if ('refused' in answer) throw new Refused(answer);
  return answer;
}

/** Nothing that can't be looked through is asked for. */
export function asSent({ headers, ...rest }: Head, hasCredential: boolean): Head {
  const kept = headers.filter(([name, value]) => {
    const lower = name.toLowerCase();
    if (lower === 'range') return !hasCredential || isLongRange(value);
    return lower !== 'accept-encoding' && lower !== 'grpc-accept-encoding';
  });
  const wasGrpc = valuesOf(headers, 'content-type').some((type) => type.startsWith('application/grpc'));
  return {
    ...rest,
    headers: [
      ...kept,
      ['accept-encoding', 'identity'],
      ...(wasGrpc ? ([['grpc-accept-encoding', 'identity']] as const) : []),
    ],
  };
}

const SHORTEST_RANGE = 4096;

/** Bit by bit a value could be read out of a document that holds it; without `Range` the server answers with all of it. */
function isLongRange(value: string): boolean {
  const [, from = '', to = ''] = /^\s*bytes\s*=\s*([0-9]*)-([0-9]*)\s*$/.exec(value) ?? [];
  if (from === '') return Number(to) >= SHORTEST_RANGE;
  return to === '' || Number(to) - Number(from) + 1 >= SHORTEST_RANGE;
}

/** What follows the body holds no placeholder: no place there was declared for any. */
export function checkedTrailers(client: ClientSide, { dialled, holdings }: Destination): readonly Header[] {
  const trailers = client.trailers();
  if (trailers.length === 0) return [];
  const answer = answerTo(
    { method: client.head.method, target: '/', headers: trailers.map(([name, value]) => [`trailer ${name}`, value]) },
    {
      dialled,
      held: holdings.held.map((one) => ({ ...one, rule: { ...one.rule, places: [], methods: [], paths: [] } })),
      needles: holdings.placeholders,
    },
  );
  if ('refused' in answer) throw new Refused(answer);
  return endToEnd(trailers);
}
