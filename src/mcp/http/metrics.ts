import type { CallKind, CallObserver, Outcome } from '../serving.ts';

const BUCKETS = [0.01, 0.05, 0.1, 0.5, 1, 5, 30, 120, 600];

const LIMITS = ['requests', 'sessions'] as const;
type Limit = (typeof LIMITS)[number];

/** What became of requests for users of other servers. */
const FATES = ['answered', 'unreachable', 'lost', 'left', 'refused'] as const;
type Fate = (typeof FATES)[number];

interface Load {
  readonly sessions: number;
  readonly users: number;
}

/** Totals for Prometheus. No user, command, skill or variable has a place in it. */
export class Metrics implements CallObserver {
  readonly #calls = new Map<string, number>();
  readonly #responses = new Map<number, number>();
  readonly #limits = new Map<Limit, number>();
  readonly #forwarded = new Map<Fate, number>();
  readonly #buckets = BUCKETS.map(() => 0);
  #seconds = 0;
  #timed = 0;
  #running = 0;
  #refusedTokens = 0;
  #opened = 0;
  readonly #load: () => Load;

  constructor(load: () => Load) {
    this.#load = load;
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

  limitHit(limit: Limit): void {
    add(this.#limits, limit);
  }

  forwarded(fate: Fate): void {
    add(this.#forwarded, fate);
  }

  sessionOpened(): void {
    this.#opened++;
  }

  text(): string {
    const { sessions, users } = this.#load();
    return [
      ...metric('cordon_sessions_open', 'gauge', 'Sessions that are open', [['', sessions]]),
      ...metric('cordon_users_active', 'gauge', 'Users with an open session', [['', users]]),
      ...metric('cordon_sessions_opened_total', 'counter', 'Sessions opened since the start', [['', this.#opened]]),
      ...metric('cordon_calls_running', 'gauge', 'Calls that are running', [['', this.#running]]),
      ...metric('cordon_calls_total', 'counter', 'Calls that have ended, by kind and outcome', labelled(this.#calls)),
      ...metric('cordon_call_seconds', 'histogram', 'How long calls took', this.#histogram()),
      ...metric('cordon_http_responses_total', 'counter', 'Responses by status', this.#byStatus()),
      ...metric('cordon_limits_hit_total', 'counter', 'Requests refused at a limit of their user', this.#byLimit()),
      ...metric('cordon_forwarded_total', 'counter', 'Requests for users of other servers', this.#byFate()),
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

  #byLimit(): Sample[] {
    return LIMITS.map((limit) => [`{limit="${limit}"}`, this.#limits.get(limit) ?? 0]);
  }

  #byFate(): Sample[] {
    return FATES.map((fate) => [`{fate="${fate}"}`, this.#forwarded.get(fate) ?? 0]);
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
