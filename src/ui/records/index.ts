import type { LaunchDetails, Launches, LaunchRow, Pending, Proofs, Sessions } from '../api.ts';
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
  readonly #services: ServiceRecord;

  constructor(stateFolder: string | undefined) {
    this.#stateFolder = stateFolder;
    this.#launches = new LaunchRecord(stateFolder);
    this.#hosts = new HostRecord(stateFolder);
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
    return { ...details, row: this.#whole(details.row), hosts: this.#hosts.of(id), aside: [] };
  }

  #refresh(): void {
    this.#launches.refresh();
    this.#hosts.refresh();
  }

  /** With what other records know of the same launch. */
  #whole(row: LaunchRow): LaunchRow {
    return { ...row, ...this.#hosts.countsOf(row.id) };
  }

  proofs(run?: string): Proofs {
    return readProofs(this.#stateFolder, run);
  }

  async sessions(): Promise<Sessions> {
    return { services: await this.#services.read() };
  }

  pending(): Pending {
    return { names: [], changes: [] };
  }
}
