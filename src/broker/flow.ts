import type { Readable, Writable } from 'node:stream';
import { Refused } from './say.ts';

/** Looks through what it is given piece by piece, and gives out what may go on, in as few pieces as it can; or throws. */
export interface Look {
  readonly push: (...chunks: Buffer[]) => Buffer[];
  readonly end: () => Buffer[];
}

/** What waits for a client that reads slowly, before nothing more is read for it. */
const MOST_GATHERED = 1 << 17;

/** What becomes of both ends of a body that does not arrive, and how it is said that one of them closed. */
export interface Failing {
  readonly act: (from: Readable, to: Writable, error: Error) => void;
  readonly ofSender: () => Error;
  readonly ofReceiver: () => Error;
}

const brokenOff = (who: string) => Object.assign(new Error(`${who} broke off`), { code: 'ECONNRESET' });

/** An answer that breaks off breaks off what it was given to, which would otherwise look whole. */
export const OF_ANSWERS: Failing = {
  act: (from, to, error) => {
    from.destroy(error);
    to.destroy(error);
  },
  ofSender: () => brokenOff('the server'),
  ofReceiver: () => brokenOff('the client'),
};

/** Of a request both ends are left as they are: the client may still be told why. */
export const OF_REQUESTS: Failing = {
  act: (from) => from.pause(),
  ofSender: () => new Error('the command stopped sending'),
  ofReceiver: () => new Error('the server stopped reading'),
};

/**
 * A body on its way, until all of it was given on; `to` stays open. TLS comes in records of 16 KiB, and to look through and write each by
 * itself takes more time than the work on its bytes: what arrives while something is being written goes on together, in one piece. What
 * arrives alone waits for nothing.
 */
export function carry(from: Readable, look: Look, to: Writable, failing: Failing): Promise<void> {
  return new Promise((resolve, reject) => {
    let gathered: Buffer[] = [];
    let size = 0;
    let writing = 0;
    let isOver = false;
    const stop = (error: Error) => stopFor(() => error);
    // An error is made only where one is needed: both ends close after every body.
    const stopFor = (why: () => Error) => {
      if (isOver) return;
      isOver = true;
      const error = why();
      failing.act(from, to, error);
      reject(error);
    };
    const written = (error?: Error | null) => {
      writing--;
      if (error) stop(error);
      if (isOver || writing > 0) return;
      send();
      from.resume();
    };
    const write = (looked: () => readonly Buffer[]) => {
      try {
        for (const piece of looked()) {
          writing++;
          to.write(piece, written);
        }
      } catch (error) {
        stop(error as Error);
      }
    };
    const send = () => {
      if (size === 0) return;
      const chunks = gathered;
      gathered = [];
      size = 0;
      write(() => look.push(...chunks));
    };
    from.on('error', stop);
    to.on('error', stop);
    from.once('close', () => stopFor(failing.ofSender));
    to.once('close', () => stopFor(failing.ofReceiver));
    if (from.destroyed || to.destroyed) return stopFor(from.destroyed ? failing.ofSender : failing.ofReceiver);
    from.once('end', () => {
      if (isOver) return;
      send();
      write(() => look.end());
      if (isOver) return;
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
  const whole = Buffer.concat(chunks);
  for (const chunk of chunks) chunk.fill(0);
  return whole;
}
