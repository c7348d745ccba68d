import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isOfRunning, servicesFolder } from '../../mcp/http/announce.ts';
import type { RunningService, ServiceSample } from '../api.ts';
import { parseFields, textOf } from './shape.ts';

interface Announced {
  readonly address: string;
  readonly startedMs: number;
}

const TIMEOUT_MS = 1000;
const LARGEST = 1 << 20;
const MOST_SAMPLES = 720;

/** The servers of `cordon serve` that say they run here, asked for their metrics; what was seen before is kept for the plots. */
export class ServiceRecord {
  readonly #folder: string | undefined;
  readonly #samples = new Map<string, ServiceSample[]>();

  constructor(stateFolder: string | undefined) {
    this.#folder = stateFolder === undefined ? undefined : servicesFolder(stateFolder);
  }

  read(): Promise<RunningService[]> {
    return Promise.all(announcedIn(this.#folder).map((one) => this.#ask(one)));
  }

  async #ask(announced: Announced): Promise<RunningService> {
    const metrics = await metricsAt(announced.address);
    const service = serviceOf(announced, metrics);
    const samples = this.#samples.get(announced.address) ?? [];
    if (metrics !== undefined) samples.push(sampleOf(service));
    this.#samples.set(announced.address, samples.slice(-MOST_SAMPLES));
    return { ...service, samples };
  }
}

function announcedIn(folder: string | undefined): Announced[] {
  if (folder === undefined) return [];
  try {
    return readdirSync(folder)
      .filter(isOfRunning)
      .flatMap((name) => announcedBy(readFileSync(join(folder, name), 'utf8')));
  } catch {
    return [];
  }
}

/** Addresses of this machine only, however it came to be written there. */
const ADDRESS = /^http:\/\/(?:127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[::1?\]):\d{1,5}$/;

function announcedBy(text: string): Announced[] {
  const fields = parseFields(text);
  const address = textOf(fields?.address);
  if (!ADDRESS.test(address)) return [];
  return [{ address, startedMs: Date.parse(textOf(fields?.started)) || 0 }];
}

async function metricsAt(address: string): Promise<Metrics | undefined> {
  const own = address.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
  try {
    const answer = await fetch(`${own}/metrics`, { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: 'error' });
    const text = await answer.text();
    return answer.ok && text.length <= LARGEST ? parseMetrics(text) : undefined;
  } catch {
    return undefined;
  }
}

type Metrics = readonly {
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
  readonly value: number;
}[];

/** Prometheus' text format, as far as our own server writes it. */
function parseMetrics(text: string): Metrics {
  return text.split('\n').flatMap((line) => {
    const [, name, labels = '', value] = /^([a-z_]+)(?:\{([^}]*)\})? (\S+)$/.exec(line) ?? [];
    if (name === undefined) return [];
    const pairs = [...labels.matchAll(/([a-z]+)="([^"]*)"/g)].map(([, key = '', word = '']) => [key, word] as const);
    return [{ name, labels: new Map(pairs), value: Number(value) || 0 }];
  });
}

function serviceOf({ address, startedMs }: Announced, metrics: Metrics = []): RunningService {
  const all = (name: string) => metrics.filter((one) => one.name === name);
  const one = (name: string) => all(name)[0]?.value ?? 0;
  return {
    address,
    startedMs,
    reachable: metrics.length > 0,
    users: one('cordon_users_active'),
    sessions: one('cordon_sessions_open'),
    opened: one('cordon_sessions_opened_total'),
    running: one('cordon_calls_running'),
    calls: all('cordon_calls_total').map(({ labels, value }) => ({
      kind: labels.get('kind') ?? '?',
      outcome: labels.get('outcome') ?? '?',
      count: value,
    })),
    limits: all('cordon_limits_hit_total').map(({ labels, value }) => ({
      limit: labels.get('limit') ?? '?',
      count: value,
    })),
    refusedTokens: one('cordon_tokens_refused_total'),
    durations: all('cordon_call_seconds_bucket').map(({ labels, value }) => ({
      le: labels.get('le') ?? '?',
      count: value,
    })),
    samples: [],
  };
}

function sampleOf({ sessions, running, calls }: RunningService): ServiceSample {
  return { time: Date.now(), sessions, running, calls: calls.reduce((sum, { count }) => sum + count, 0) };
}
