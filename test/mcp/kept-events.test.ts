import { expect, test } from 'vitest';
import { KeptEvents } from '../../src/mcp/http/kept-events.ts';

const message = (method: string) => ({ jsonrpc: '2.0', method }) as const;

async function after(events: KeptEvents, id: string): Promise<string[]> {
  const told: string[] = [];
  await events.replayEventsAfter(id, {
    send: async (_, sent) => {
      told.push('method' in sent ? sent.method : '');
    },
  });
  return told;
}

test('tells the rest of one stream and nothing of another', async () => {
  const events = new KeptEvents();
  const begun = await events.storeEvent('one', {} as never);
  const first = await events.storeEvent('one', message('a'));
  await events.storeEvent('two', message('b'));
  await events.storeEvent('one', message('c'));
  expect(await after(events, begun)).toEqual(['a', 'c']);
  expect(await after(events, first)).toEqual(['c']);
  expect(await events.getStreamIdForEventId(first)).toBe('one');
});

test('keeps the last of many and of large ones, and still knows whose an older id is', async () => {
  const events = new KeptEvents();
  const begun = await events.storeEvent('one', {} as never);
  for (let i = 0; i < 200; i++) await events.storeEvent('one', message(String(i)));
  const kept = await after(events, begun);
  expect([kept.length, kept.at(-1)]).toEqual([64, '199']);
  await events.storeEvent('one', message('x'.repeat(2 << 20)));
  expect((await after(events, begun)).map(({ length }) => length)).toEqual([2 << 20]);
  await events.storeEvent('one', message('small'));
  expect(await after(events, begun)).toEqual(['small']);
});
