import type { EventStore, JSONRPCMessage } from '@modelcontextprotocol/server';

const MOST_EVENTS = 64;
const MOST_BYTES = 128 << 10;

interface Kept {
  readonly stream: string;
  readonly number: number;
  readonly text: string;
}

/**
 * The last of what one session said, for a client whose connection broke: it comes back with the id of the last event it got, and
 * is told the rest of that stream. An id names its stream, so it can be answered after its event has been dropped.
 */
export class KeptEvents implements EventStore {
  readonly #kept: Kept[] = [];
  #bytes = 0;
  #last = 0;

  /** The library stores an empty message for the event that a stream begins with: that one is only an id. */
  async storeEvent(stream: string, message: JSONRPCMessage): Promise<string> {
    const number = ++this.#last;
    if ('jsonrpc' in message) this.#keep({ stream, number, text: JSON.stringify(message) });
    return `${stream}.${number}`;
  }

  async getStreamIdForEventId(id: string): Promise<string | undefined> {
    return partsOf(id)?.stream;
  }

  async replayEventsAfter(
    id: string,
    { send }: { send: (id: string, message: JSONRPCMessage) => Promise<void> },
  ): Promise<string> {
    const { stream, number: last } = partsOf(id) ?? { stream: '', number: 0 };
    for (const { number, text } of this.#kept.filter((one) => one.stream === stream && one.number > last))
      await send(`${stream}.${number}`, JSON.parse(text) as JSONRPCMessage);
    return stream;
  }

  #keep(event: Kept): void {
    this.#kept.push(event);
    this.#bytes += event.text.length;
    while (this.#kept.length > MOST_EVENTS || (this.#bytes > MOST_BYTES && this.#kept.length > 1))
      this.#bytes -= this.#kept.shift()?.text.length ?? 0;
  }
}

function partsOf(id: string): Pick<Kept, 'stream' | 'number'> | undefined {
  const [, stream, number] = /^([\w-]{1,64})\.(\d{1,15})$/.exec(id) ?? [];
  return stream === undefined ? undefined : { stream, number: Number(number) };
}
