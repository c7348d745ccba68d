import type {
  AllPending,
  Decided,
  KeptPage,
  LaunchDetails,
  Launches,
  PageDecision,
  PolicyEntry,
  PolicyName,
  Proofs,
  ResolvedPolicy,
  Sessions,
  Welcome,
  WhatIf,
} from '../api.ts';

/** Where the page has its data from: the server that showed it, or, in a page that was kept, itself. */
export interface PageSource {
  readonly version: string;
  readonly decide: boolean;
  /** When the page was kept; undefined where it is live. */
  readonly keptAt?: string;
  launches(from: number, most?: number): Promise<Launches>;
  launch(id: string): Promise<LaunchDetails>;
  policies(): Promise<readonly PolicyEntry[]>;
  policy(name: PolicyName, change?: WhatIf): Promise<ResolvedPolicy>;
  proofs(run?: string): Promise<Proofs>;
  sessions(): Promise<Sessions>;
  pending(): Promise<AllPending>;
  answer(decision: PageDecision): Promise<Decided>;
}

/** What went wrong, in words for people. `over`: the server is gone or does not know this page any more. */
export class Problem extends Error {
  readonly over: boolean;
  readonly hint: string;
  constructor(message: string, { over = false, hint = '' }: { over?: boolean; hint?: string } = {}) {
    super(message);
    this.over = over;
    this.hint = hint;
  }
}

const LINK = /^#([\w-]{43})$/;

/** The token of the link leaves the address at once, and lives in this function only. */
export async function openSource(): Promise<PageSource> {
  const kept = document.getElementById('kept')?.textContent ?? '';
  if (kept !== '') return keptSource(JSON.parse(kept) as KeptPage);
  const link = LINK.exec(location.hash)?.[1];
  history.replaceState(null, '', '#/launches');
  if (link === undefined) throw new Problem('This page has no link to its data any more.', { over: true });
  const welcome = await ask<Welcome>(link, 'POST', 'api/enter');
  return liveSource(welcome);
}

let touched = Date.now();
const touch = () => {
  touched = Date.now();
};
for (const event of ['pointerdown', 'keydown', 'wheel', 'touchmove'])
  addEventListener(event, touch, { passive: true, capture: true });

async function ask<T>(token: string, method: 'GET' | 'POST', path: string, body?: object): Promise<T> {
  const answer = await fetch(path, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      'cordon-untouched': String(Math.floor((Date.now() - touched) / 1000)),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    credentials: 'omit',
  }).catch(() => {
    throw new Problem('cordon ui has ended.', { over: true });
  });
  const data = await answer.json();
  if (answer.ok) return data as T;
  throw new Problem(data.error ?? `status ${answer.status}`, { over: answer.status === 401, hint: data.hint ?? '' });
}

function liveSource({ token, version, decide }: Welcome): PageSource {
  const get = <T>(path: string) => ask<T>(token, 'GET', path);
  return {
    version,
    decide,
    launches: (from, most) => get(`api/launches?from=${from}${most === undefined ? '' : `&most=${most}`}`),
    launch: (id) => get(`api/launch?id=${encodeURIComponent(id)}`),
    policies: () => get('api/policies'),
    policy: ({ kind, name }, change) =>
      ask(token, 'POST', 'api/policy', { kind, name, ...(change === undefined ? {} : { change }) }),
    proofs: (run) => get(`api/proofs${run === undefined ? '' : `?run=${encodeURIComponent(run)}`}`),
    sessions: () => get('api/sessions'),
    pending: () => get('api/pending'),
    answer: (decision) => ask(token, 'POST', 'api/decide', decision),
  };
}

function keptSource(kept: KeptPage): PageSource {
  const given = async <T>(value: T | undefined, otherwise: string): Promise<T> => {
    if (value === undefined) throw new Problem(otherwise);
    return value;
  };
  return {
    version: kept.version,
    decide: false,
    keptAt: kept.date,
    launches: async () => kept.launches,
    launch: (id) => given(kept.details[id], 'The details of this launch were not kept.'),
    policies: async () => kept.policies,
    policy: ({ kind, name }, change) =>
      given(
        change === undefined ? kept.resolved.find((one) => one.kind === kind && one.name === name) : undefined,
        change === undefined ? 'This policy was not kept.' : 'A kept page can try nothing: use cordon ui.',
      ),
    proofs: async () => kept.proofs,
    sessions: async () => kept.sessions,
    pending: async () => kept.pending,
    answer: () => given(undefined, 'A kept page decides nothing: use cordon ui --decide.'),
  };
}
