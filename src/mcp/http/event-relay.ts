const MOST_EVENT_BYTES = 16 << 20;
const END = Buffer.from('\n\n');

export interface Break {
  /** Answers, in words, for all that have none. */
  readonly text: string;
}

type Id = string | number;

/** Hands on a stream of server-sent events, as our own server writes them, and knows which requests it has answered. */
export class EventRelay {
  #held = Buffer.alloc(0);
  readonly #waiting: Set<Id>;
  readonly #words: () => string;

  constructor(body: string, words: () => string) {
    this.#waiting = new Set(idsIn(body));
    this.#words = words;
  }

  /** What is whole by now. */
  whole(chunk: Buffer): Buffer {
    const all = Buffer.concat([this.#held, chunk]);
    const end = all.lastIndexOf(END);
    const [whole, held] = end === -1 ? [Buffer.alloc(0), all] : [all.subarray(0, end + 2), all.subarray(end + 2)];
    if (held.length > MOST_EVENT_BYTES) throw new Error('an event without end');
    this.#held = held;
    for (const event of whole.toString('utf8').split('\n\n')) this.#seen(event);
    return whole;
  }

  /** After a stream that came to its own end. */
  rest(): Buffer {
    return this.#held;
  }

  break(): Break {
    const error = { code: -32000, message: this.#words() };
    const answers = [...this.#waiting].map((id) => JSON.stringify({ jsonrpc: '2.0', id, error }));
    return { text: answers.map((data) => `event: message\ndata: ${data}\n\n`).join('') };
  }

  #seen(event: string): void {
    const data = event
      .split('\n')
      .flatMap((line) => (line.startsWith('data:') ? [line.slice('data:'.length)] : []))
      .join('\n');
    const { id, method } = parse(data);
    if (method === undefined) this.#waiting.delete(id as Id);
  }
}

/** Those of requests; notifications have none, and answers of the client no method. */
function idsIn(body: string): Id[] {
  const parsed = parse(body);
  return [parsed]
    .flat()
    .flatMap(({ id, method }) =>
      method !== undefined && (typeof id === 'string' || typeof id === 'number') ? [id] : [],
    );
}

function parse(text: string): { id?: unknown; method?: unknown } {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}
