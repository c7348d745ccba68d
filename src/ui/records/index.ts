import type { ParentEnv } from '../../host/parent-env.ts';
import type { Decided, Decision, LaunchDetails, Launches, LaunchRow, Pending, Proofs, Sessions } from '../api.ts';
import { AsideRecord } from './aside.ts';
import { HostRecord } from './hosts.ts';
import { LaunchRecord } from './launches.ts';
import { readProofs } from './proofs.ts';
import { readRunning } from './running.ts';
import { ServiceRecord } from './services.ts';

/** Everything that others write down and the page shows. What is not there yet is empty. */
export class Records {
  readonly #stateFolder: string | undefined;
  readonly #launches: LaunchRecord;
  readonly #hosts: HostRecord;
  readonly #aside: AsideRecord;
  readonly #services: ServiceRecord;

  constructor(stateFolder: string | undefined, env: ParentEnv) {
    this.#stateFolder = stateFolder;
    this.#launches = new LaunchRecord(stateFolder);
    this.#hosts = new HostRecord(stateFolder);
    this.#aside = new AsideRecord(stateFolder, env);
    this.#services = new ServiceRecord(stateFolder);
  }

  /** From `from` on, counted from the oldest; a negative number means that many of the newest. */
  launches(from: number, most = Number.POSITIVE_INFINITY): Launches {
    this.#refresh();
    const { rows, generation, damaged } = this.#launches;
    const start = from < 0 ? Math.max(0, rows.length + from) : from;
    return {
      generation,
      total: rows.length,
      from: start,
      rows: rows.slice(start, start + most).map((row) => this.#whole(row)),
      running: readRunning(),
      damaged: damaged.lines,
      damagedCount: damaged.count,
    };
  }

  launch(id: string): LaunchDetails | undefined {
    this.#refresh();
    const details = this.#launches.details(id);
    if (details === undefined) return undefined;
    return { ...details, row: this.#whole(details.row), hosts: this.#hosts.of(id), aside: this.#aside.of(id) };
  }

  #refresh(): void {
    this.#launches.refresh();
    this.#hosts.refresh();
    this.#aside.refresh();
  }

  /** With what other records know of the same launch. */
  #whole(row: LaunchRow): LaunchRow {
    return { ...row, ...this.#hosts.countsOf(row.id), aside: this.#aside.countOf(row.id) };
  }

  proofs(run?: string): Proofs {
    return readProofs(this.#stateFolder, run);
  }

  async sessions(): Promise<Sessions> {
    return { services: await this.#services.read() };
  }

  pending(): Pending {
    this.#refresh();
    return { names: this.#hosts.refusedNames(), changes: this.#aside.waiting() };
  }

  /** Undefined: nothing of that launch waits. */
  decide({ launch, answer }: Decision): Decided | undefined {
    this.#refresh();
    if (answer === 'drop') return this.#aside.drop(launch) ? { files: [], pending: this.pending() } : undefined;
    const files = this.#aside.apply(launch);
    return files === undefined ? undefined : { files, pending: this.pending() };
  }
}
