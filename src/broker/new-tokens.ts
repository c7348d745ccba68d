import { coversHost, type TokenShape } from '../policy/broker.ts';
import type { Look } from './flow.ts';
import { type Header, valuesOf } from './head.ts';
import type { Dialled } from './held.ts';

/*
 * Which addresses of a service hand out credentials is known as far as its documents say it (mint.ts). Any other that answers with one, new
 * or of somebody else, is known by what comes: in data of the service's own hosts, for a request with a credential, a text that is a token
 * of that service from its beginning to its end. It is covered with asterisks. Files, prose and streams of events are left as they are: an
 * example of a token in a file that is downloaded is none.
 */

export const shapeAt = (shapes: readonly TokenShape[], { name, port }: Dialled): string | undefined =>
  shapes.find(({ host }) => coversHost(host, name, port))?.token;

const DATA =
  /^(?:application\/(?:[\w.+-]+\+)?(?:json|xml)|application\/(?:x-)?(?:javascript|ndjson|www-form-urlencoded)|text\/(?:json|xml|javascript))\b/i;

export const mayHoldTokens = (headers: readonly Header[]) =>
  valuesOf(headers, 'content-type').some((type) => DATA.test(type.trim()));

/** No token is longer. */
const LONGEST = 4096;
const UNFINISHED = /["'>=][\w=/+.-]*$/;

/** Behind `look`. Held back is what may be the beginning of a token. */
export function withoutTokens(look: Look, token: string, onFound: () => void): Look {
  const whole = new RegExp(`(?<=["'>=])(?:${token})(?=["'<&])`, 'g');
  const last = new RegExp(`(?<=["'>=])(?:${token})(?=["'<&\\s]|$)`, 'g');
  let held: Buffer | undefined;
  const covered = (piece: Buffer, isLast: boolean): Buffer[] => {
    const data = held === undefined ? piece : Buffer.concat([held, piece]);
    held = undefined;
    const text = data.toString('latin1');
    for (const { 0: found, index } of text.matchAll(isLast ? last : whole)) {
      data.fill('*', index, index + found.length);
      onFound();
    }
    const begun = isLast ? null : UNFINISHED.exec(text.slice(-LONGEST));
    if (begun === null) return [data];
    const from = data.length - begun[0].length;
    held = Buffer.from(data.subarray(from));
    return from === 0 ? [] : [data.subarray(0, from)];
  };
  return {
    push: (...chunks) => look.push(...chunks).flatMap((piece) => covered(piece, false)),
    end: () => covered(Buffer.concat(look.end()), true).filter(({ length }) => length > 0),
  };
}
