import { showText } from '../../host/bytes.ts';
import { CordonError } from '../../host/errors.ts';
import { answer, writableProfiles } from '../../network/answer.ts';
import { type Pending as Asked, pendingIn } from '../../network/pending.ts';
import type {
  AllPending,
  Decided,
  HostDecision,
  HostQuestion,
  LaunchDetails,
  Launches,
  LaunchRow,
  PageDecision,
  Proofs,
  Sessions,
} from '../api.ts';
import { type PolicySurroundings, profilePlaces } from '../policies.ts';
import { AsideRecord } from './aside.ts';
import { HostRecord } from './hosts.ts';
import { LaunchRecord } from './launches.ts';
import { readProofs } from './proofs.ts';
import { readRunning } from './running.ts';
import { ServiceRecord } from './services.ts';
import { textOf } from './shape.ts';

const MOST_QUESTIONS = 200;

/** Everything that others write down and the page shows. What is not there yet is empty. */
export class PageRecords {
  readonly #around: PolicySurroundings;
  readonly #stateFolder: string | undefined;
  readonly #launches: LaunchRecord;
  readonly #hosts: HostRecord;
  readonly #aside: AsideRecord;
  readonly #services: ServiceRecord;

  constructor(around: PolicySurroundings) {
    const stateFolder = around.folders.state;
    this.#around = around;
    this.#stateFolder = stateFolder;
    this.#launches = new LaunchRecord(stateFolder);
    this.#hosts = new HostRecord(stateFolder);
    this.#aside = new AsideRecord(stateFolder, around.env);
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
      asking: this.#asked().length,
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

  #asked(): readonly Asked[] {
    return this.#stateFolder === undefined ? [] : pendingIn(this.#stateFolder);
  }

  pending(): AllPending {
    this.#refresh();
    const asked = this.#asked();
    return {
      questions: asked.slice(0, MOST_QUESTIONS).map(questionOf),
      asking: asked.length,
      profiles: [...this.#profiles().keys()],
      names: this.#hosts.refusedNames(),
      changes: this.#aside.waiting(),
    };
  }

  #profiles(): ReadonlyMap<string, string> {
    return writableProfiles(profilePlaces(this.#around));
  }

  /** Undefined: nothing of that launch waits. */
  decide(decision: PageDecision): Decided | undefined {
    if ('question' in decision) return this.#answer(decision);
    this.#refresh();
    const { launch, answer: word } = decision;
    if (word === 'drop') return this.#aside.drop(launch) ? { files: [], pending: this.pending() } : undefined;
    const files = this.#aside.apply(launch);
    return files === undefined ? undefined : { files, pending: this.pending() };
  }

  /** As on the command line, save that a page names profiles of the user's own, and no file. */
  #answer({ question, answer: word, profile }: HostDecision): Decided {
    const file = profile === undefined ? undefined : this.#profiles().get(profile);
    if (profile !== undefined && file === undefined)
      throw new CordonError('network', `'${showText(profile)}' is not a profile that the page can write to`);
    answer(this.#stateFolder, { ids: [question], word, profile: file }, profilePlaces(this.#around));
    return { files: [], pending: this.pending() };
  }
}

function questionOf({ id, name, port, subject, policy, time, until }: Asked): HostQuestion {
  const when = (text: unknown) => Date.parse(textOf(text)) || 0;
  return {
    id,
    host: `${textOf(name, '?')}:${Number(port)}`,
    command: textOf(subject, '?'),
    policy: textOf(policy, '?'),
    time: when(time),
    until: when(until),
  };
}
