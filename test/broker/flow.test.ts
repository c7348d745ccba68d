import { once } from 'node:events';
import { Readable, Writable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { carry, type Look, OF_ANSWERS, OF_REQUESTS } from '../../src/broker/flow.ts';
import { forbid, mask, Needles } from '../../src/broker/scan.ts';
import { VALUE } from './support.ts';

const asItIs: Look = { push: (...chunks) => [Buffer.concat(chunks)], end: () => [] };
const source = () => new Readable({ read: () => undefined });

/** Takes the next piece only when it is told to. */
function slowWriter() {
  const pieces: Buffer[] = [];
  const waiting: (() => void)[] = [];
  const to = new Writable({
    highWaterMark: 1,
    write(data: Buffer, _encoding, done) {
      pieces.push(data);
      waiting.push(done);
    },
  });
  const take = async () => {
    waiting.shift()?.();
    await turn();
  };
  return { to, pieces, take };
}

describe('a body on its way', () => {
  test('what arrives alone goes on at once; what arrives meanwhile goes on together', async () => {
    const [from, { to, pieces, take }] = [source(), slowWriter()];
    const over = carry(from, asItIs, to, OF_ANSWERS);
    for (const text of ['a', 'b', 'c', 'd']) {
      from.push(text);
      await turn();
    }
    expect(pieces.map(String)).toEqual(['a']);
    await take();
    expect(pieces.map(String)).toEqual(['a', 'bcd']);
    from.push('e');
    from.push(null);
    await over;
    await take();
    expect(pieces.map(String)).toEqual(['a', 'bcd', 'e']);
    expect(to.writableEnded).toBe(false);
  });

  test('a client that does not read stops the server, and reading on goes on', async () => {
    const [from, { to, pieces, take }] = [source(), slowWriter()];
    const over = carry(from, asItIs, to, OF_ANSWERS);
    const record = Buffer.alloc(1 << 14, 'x');
    let sent = 0;
    while (!from.isPaused() && sent < 1000) {
      from.push(record);
      sent++;
      await turn();
    }
    expect(sent * record.length).toBeLessThanOrEqual((1 << 17) + 2 * record.length);
    from.push(null);
    while (pieces.length < 2) await take();
    await over;
    await take();
    expect(Buffer.concat(pieces).length).toBe(sent * record.length);
  });

  test('a value in two pieces is covered, whether they are written together or not', async () => {
    for (const slow of [true, false]) {
      const [from, { to, pieces, take }] = [source(), slowWriter()];
      const over = carry(
        from,
        mask(new Needles([VALUE]), () => undefined),
        to,
        OF_ANSWERS,
      );
      for (const text of ['first ', `said ${VALUE.slice(0, 9)}`, `${VALUE.slice(9)} last`]) {
        from.push(text);
        await turn();
        if (!slow) await take();
      }
      from.push(null);
      await turn();
      for (let left = 4; left > 0; left--) await take();
      await over;
      expect(Buffer.concat(pieces).toString()).toBe(`first said ${'*'.repeat(VALUE.length)} last`);
    }
  });

  test('however it is cut and gathered, the same is given out, as one value inside another too', () => {
    const values = ['abcabc', 'xabcabcyz', 'yzyzyzabcabcab'];
    const needles = new Needles(values);
    const word = fc.constantFrom(...values, 'abc', 'x', 'yz', 'yzyz', ' ', ...values.map((one) => one.slice(0, -1)));
    const given = (calls: readonly Buffer[][]) => {
      const look = mask(needles, () => undefined);
      return Buffer.concat([...calls.flatMap((chunks) => look.push(...chunks)), ...look.end()]).toString();
    };
    fc.assert(
      fc.property(fc.array(word), fc.array(fc.tuple(fc.nat(9), fc.boolean())), (words, cuts) => {
        const text = words.join('');
        const calls: Buffer[][] = [[]];
        let at = 0;
        for (const [length, together] of cuts) {
          if (!together) calls.push([]);
          calls.at(-1)?.push(Buffer.from(text.slice(at, at + length)));
          at += length;
        }
        calls.push([Buffer.from(text.slice(at))]);
        expect(given(calls)).toBe(given([...text].map((byte) => [Buffer.from(byte)])));
        for (const value of values) expect(given(calls)).not.toContain(value);
      }),
    );
  });

  test('one that breaks off breaks off what it was given to, also when it did so before', async () => {
    for (const before of [true, false]) {
      const [from, { to }] = [source(), slowWriter()];
      if (before) from.destroy();
      const over = expect(carry(from, asItIs, to, OF_ANSWERS)).rejects.toMatchObject({ code: 'ECONNRESET' });
      if (!before) from.destroy();
      await over;
      expect(to.destroyed).toBe(true);
    }
  });

  test('a client that goes away ends the server’s side', async () => {
    const [from, { to }] = [source(), slowWriter()];
    const over = expect(carry(from, asItIs, to, OF_ANSWERS)).rejects.toThrow('the client broke off');
    to.destroy();
    await over;
    expect(from.destroyed).toBe(true);
  });

  test('one of a request that holds what it may not is stopped before that, and both ends can still be used', async () => {
    const [from, { to, pieces, take }] = [source(), slowWriter()];
    const look = forbid(
      new Needles([VALUE]),
      () => undefined,
      () => new Error('found'),
    );
    const over = expect(carry(from, look, to, OF_REQUESTS)).rejects.toThrow('found');
    for (const text of ['first', `second ${VALUE.slice(0, 9)}`, `${VALUE.slice(9)} third`]) {
      from.push(text);
      await turn();
      await take();
    }
    await over;
    expect(pieces.map(String)).toEqual(['first', 'second ']);
    expect([from.destroyed, to.destroyed]).toEqual([false, false]);
    from.push('what is left');
    from.push(null);
    from.resume();
    await once(from, 'end');
    expect(pieces).toHaveLength(2);
  });

  test('who of both ends of a request went away is said', async () => {
    const [from, { to }] = [source(), slowWriter()];
    const reading = expect(carry(from, asItIs, to, OF_REQUESTS)).rejects.toThrow('the server stopped reading');
    to.destroy();
    await reading;
    const sending = expect(carry(from, asItIs, slowWriter().to, OF_REQUESTS)).rejects.toThrow('the command stopped');
    from.destroy();
    await sending;
  });
});
