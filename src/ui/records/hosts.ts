import { NetworkRecords } from '../../network/read-records.ts';
import type { NetworkRecord } from '../../network/records.ts';
import type { Host, RefusedName } from '../api.ts';
import { textOf } from './shape.ts';

const OUTCOMES: Readonly<Record<string, Host['outcome']>> = {
  allowed: 'reached',
  refused: 'refused',
  failed: 'failed',
};
const MOST_HOSTS = 2000;
const MOST_NAMES = 200;

/** The hosts that launches reached and were refused, where the network goes by name. */
export class HostRecord {
  readonly #record: NetworkRecords | undefined;
  #byLaunch = new Map<string, Map<string, Host>>();

  constructor(stateFolder: string | undefined) {
    this.#record = stateFolder === undefined ? undefined : new NetworkRecords(stateFolder);
  }

  refresh(): void {
    this.#record?.refresh(
      (record) => this.#take(record),
      () => {
        this.#byLaunch = new Map();
      },
    );
  }

  of(launch: string): Host[] {
    return [...(this.#byLaunch.get(launch)?.values() ?? [])];
  }

  /** How many different hosts it reached, and was refused. */
  countsOf(launch: string): { readonly hostsReached: number; readonly hostsRefused: number } {
    const hosts = this.#byLaunch.get(launch);
    if (hosts === undefined) return NONE;
    const count = (outcome: Host['outcome']) => [...hosts.values()].filter((one) => one.outcome === outcome).length;
    return { hostsReached: count('reached'), hostsRefused: count('refused') };
  }

  /** Over all launches, the newest first. */
  refusedNames(): RefusedName[] {
    const names = new Map<string, RefusedName>();
    for (const [launch, hosts] of this.#byLaunch)
      for (const { name, outcome, reason, count } of hosts.values()) {
        if (outcome !== 'refused') continue;
        const before = names.get(name);
        names.delete(name);
        names.set(name, { name, reason, launch, count: count + (before?.count ?? 0) });
      }
    return [...names.values()].toReversed().slice(0, MOST_NAMES);
  }

  #take(record: NetworkRecord): void {
    const host = hostOf(record);
    if (host === undefined) return;
    const launch = textOf(record.launch);
    const hosts = this.#byLaunch.get(launch) ?? new Map<string, Host>();
    this.#byLaunch.set(launch, hosts);
    const key = `${host.name} ${host.outcome}`;
    const before = hosts.get(key);
    if (before === undefined && hosts.size >= MOST_HOSTS) return;
    hosts.set(key, before === undefined ? host : sumOf(before, host));
  }
}

const NONE = { hostsReached: 0, hostsRefused: 0 };

function hostOf({ name, port, verdict, why, rule, sent = 0, received = 0 }: NetworkRecord): Host | undefined {
  const outcome = Object.hasOwn(OUTCOMES, verdict) ? OUTCOMES[verdict] : undefined;
  if (outcome === undefined) return undefined;
  const shown = `${textOf(name)}${port === undefined ? '' : `:${port}`}`;
  return { name: shown, outcome, reason: textOf(why) || textOf(rule), count: 1, sent, received };
}

const sumOf = (a: Host, b: Host): Host => ({
  ...b,
  count: a.count + b.count,
  sent: a.sent + b.sent,
  received: a.received + b.received,
});
