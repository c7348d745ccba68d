import type { CallKind, CallObserver, Outcome } from '../serving.ts';

const BUCKETS = [0.01, 0.05, 0.1, 0.5, 1, 5, 30, 120, 600];

/** Totals for Prometheus. No user, command, skill or variable has a place in it. */
export class Metrics implements CallObserver {
  readonly #calls = new Map<string, number>();
  readonly #responses = new Map<number, number>();
  readonly #buckets = BUCKETS.map(() => 0);
  #seconds = 0;
  #timed = 0;
  #running = 0;
  #refusedTokens = 0;
  #opened = 0;
  readonly #sessions: () => number;

  constructor(sessions: () => number) {
    this.#sessions = sessions;
  }

  started(): void {
    this.#running++;
  }

  refused(kind: CallKind): void {
    add(this.#calls, `kind="${kind}",outcome="refused"`);
  }

  ended(kind: CallKind, outcome: Outcome, seconds: number): void {
    add(this.#calls, `kind="${kind}",outcome="${outcome}"`);
    this.#running--;
    this.#timed++;
    this.#seconds += seconds;
    for (const [i, bound] of BUCKETS.entries()) if (seconds <= bound) this.#buckets[i] = (this.#buckets[i] ?? 0) + 1;
  }

  responded(status: number): void {
    add(this.#responses, status);
  }

  tokenRefused(): void {
    this.#refusedTokens++;
  }

  sessionOpened(): void {
    this.#opened++;
  }

  text(): string {
    return [
      ...metric('cordon_sessions_open', 'gauge', 'Sessions that are open', [['', this.#sessions()]]),
      ...metric('cordon_sessions_opened_total', 'counter', 'Sessions opened since the start', [['', this.#opened]]),
      ...metric('cordon_calls_running', 'gauge', 'Calls that are running', [['', this.#running]]),
      ...metric('cordon_calls_total', 'counter', 'Calls that have ended, by kind and outcome', labelled(this.#calls)),
      ...metric('cordon_call_seconds', 'histogram', 'How long calls took', this.#histogram()),
      ...metric('cordon_http_responses_total', 'counter', 'Responses by status', this.#byStatus()),
      ...metric('cordon_tokens_refused_total', 'counter', 'Requests without a valid token', [
        ['', this.#refusedTokens],
      ]),
      '',
    ].join('\n');
  }

  #histogram(): Sample[] {
    const buckets = BUCKETS.map((bound, i): Sample => [`_bucket{le="${bound}"}`, this.#buckets[i] ?? 0]);
    return [...buckets, ['_bucket{le="+Inf"}', this.#timed], ['_sum', this.#seconds], ['_count', this.#timed]];
  }

  #byStatus(): Sample[] {
    return [...this.#responses].map(([status, count]) => [`{status="${status}"}`, count]);
  }
}

type Sample = readonly [suffix: string, value: number];

function metric(name: string, type: string, help: string, samples: readonly Sample[]): string[] {
  return [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} ${type}`,
    ...samples.map(([suffix, value]) => `${name}${suffix} ${value}`),
  ];
}

function labelled(counts: ReadonlyMap<string, number>): Sample[] {
  return [...counts].map(([labels, count]) => [`{${labels}}`, count]);
}

function add<K>(counts: Map<K, number>, key: K): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
