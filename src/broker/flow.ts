import type { Readable, Writable } from 'node:stream';
import { Refused } from './say.ts';

/** Looks through what it is given piece by piece, and gives out what may go on, in as few pieces as it can. */
export interface Look {
  readonly push: (...chunks: Buffer[]) => Buffer[];
  readonly end: () => Buffer[];
}

/** What waits for a client that reads slowly, before nothing more is read for it. */
const MOST_GATHERED = 1 << 17;

/**
 * A body on its way, until all of it was given on; `to` stays open. TLS comes in records of 16 KiB, and to look through and write each by
 * itself takes more time than the work on its bytes: what arrives while something is being written goes on together, in one piece. What
 * arrives alone waits for nothing. A body that breaks off breaks off what it was given to, which would otherwise look whole.
 */
export function carry(from: Readable, look: Look, to: Writable): Promise<void> {
  return new Promise((resolve, reject) => {
    let gathered: Buffer[] = [];
    let size = 0;
    let writing = 0;
    let isOver = false;
    const stop = (error: Error) => {
      if (isOver) return;
      isOver = true;
      from.destroy(error);
      to.destroy(error);
      reject(error);
    };
    const written = (error?: Error | null) => {
      writing--;
      if (error) stop(error);
      if (isOver || writing > 0) return;
      send();
      from.resume();
    };
    const write = (pieces: readonly Buffer[]) => {
      for (const piece of pieces) {
        writing++;
        to.write(piece, written);
      }
    };
    const send = () => {
      if (size === 0) return;
      const chunks = gathered;
      gathered = [];
      size = 0;
      write(look.push(...chunks));
    };
    from.on('error', stop);
    to.on('error', stop);
    from.once('close', () => stop(brokenOff('the server')));
    to.once('close', () => stop(brokenOff('the client')));
    if (from.destroyed || to.destroyed) return stop(brokenOff(from.destroyed ? 'the server' : 'the client'));
    from.once('end', () => {
      if (isOver) return;
      send();
      write(look.end());
      isOver = true;
      resolve();
    });
    from.on('data', (chunk: Buffer) => {
      if (isOver) return;
      gathered.push(chunk);
      size += chunk.length;
      if (writing === 0) send();
      else if (size >= MOST_GATHERED) from.pause();
    });
  });
}

const brokenOff = (who: string) => Object.assign(new Error(`${who} broke off`), { code: 'ECONNRESET' });

/** A body up to here is read whole before any of it is given on. */
export const SMALL_BODY = 1 << 20;

export async function readSmall(body: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > SMALL_BODY)
      throw new Refused({
        refused: 'size',
        credential: '',
        reason: `a body that a credential may stand in has more than ${SMALL_BODY} bytes`,
        hint: 'send less at once',
      });
  }
  return Buffer.concat(chunks);
}
