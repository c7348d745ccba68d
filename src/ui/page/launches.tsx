import { rectX, rectY, ruleY } from '@observablehq/plot';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { DamagedLine, LaunchRow, RunningLaunch } from '../api.ts';
import { Chip, Empty, problemOf, Share, Tile, Trouble, VirtualList } from './parts.tsx';
import { Figure } from './plot.tsx';
import type { PageSource, Problem } from './source.ts';
import { bytes, clock, count, day, number, programOf, shortFolder, span, wholeTime } from './words.ts';

const FIRST = 300;
const EVERY_MS = 2000;

export interface LaunchBook {
  readonly rows: readonly LaunchRow[];
  readonly total: number;
  readonly running: readonly RunningLaunch[];
  readonly damaged: readonly DamagedLine[];
  readonly damagedCount: number;
  readonly problem?: Problem;
}

const NOTHING: LaunchBook = { rows: [], total: -1, running: [], asking: 0, damaged: [], damagedCount: 0 };

/** The newest are shown first, the others follow, and from then on only what is new is asked for. */
class Feed {
  readonly #source: PageSource;
  readonly #show: (change: (before: LaunchBook) => LaunchBook) => void;
  #generation = '';
  #known = 0;
  #isBusy = false;

  constructor(source: PageSource, show: (change: (before: LaunchBook) => LaunchBook) => void) {
    this.#source = source;
    this.#show = show;
  }

  /** One at a time: what is asked for depends on what has come. */
  async look(): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    try {
      await (this.#generation === '' ? this.#begin() : this.#goOn());
    } catch (error) {
      this.#show((before) => ({ ...before, problem: problemOf(error) }));
    } finally {
      this.#isBusy = false;
    }
  }

  async #begin(): Promise<void> {
    const newest = await this.#source.launches(-FIRST);
    [this.#generation, this.#known] = [newest.generation, newest.total];
    this.#show(() => newest);
    if (newest.from === 0) return;
    const older = await this.#source.launches(0, newest.from);
    if (older.generation !== this.#generation) await this.#again();
    else this.#show((before) => ({ ...before, rows: [...older.rows, ...before.rows] }));
  }

  async #goOn(): Promise<void> {
    const news = await this.#source.launches(this.#known);
    if (news.generation !== this.#generation) return this.#again();
    this.#known = news.total;
    this.#show(({ rows }) => ({ ...news, rows: news.rows.length === 0 ? rows : [...rows, ...news.rows] }));
  }

  /** The record was rotated: all of it at once, so that the list does not become short meanwhile. */
  async #again(): Promise<void> {
    const all = await this.#source.launches(0);
    [this.#generation, this.#known] = [all.generation, all.total];
    this.#show(() => all);
  }
}

export function useLaunches(source: PageSource): LaunchBook {
  const [book, setBook] = useState<LaunchBook>(NOTHING);
  useEffect(() => {
    const feed = new Feed(source, setBook);
    feed.look();
    if (source.keptAt !== undefined) return;
    const timer = setInterval(() => document.visibilityState === 'visible' && feed.look(), EVERY_MS);
    return () => clearInterval(timer);
  }, [source]);
  return book;
}

const OUTCOMES = ['ended well', 'failed', 'not started'] as const;
type LaunchOutcome = (typeof OUTCOMES)[number];

function outcomeOf({ exit }: LaunchRow): LaunchOutcome {
  if (exit === null) return 'not started';
  return exit === 0 ? 'ended well' : 'failed';
}

const RANGES: readonly (readonly [string, number])[] = [
  ['all time', Number.POSITIVE_INFINITY],
  ['last hour', 3_600_000],
  ['last day', 86_400_000],
  ['last week', 7 * 86_400_000],
  ['last month', 30 * 86_400_000],
];

interface Filters {
  readonly words: string;
  readonly policy: string;
  readonly outcome: string;
  readonly range: number;
  readonly slot: readonly [number, number] | undefined;
}

const NO_FILTERS: Filters = { words: '', policy: '', outcome: '', range: 0, slot: undefined };

function isWanted(row: LaunchRow, { words, policy, outcome, range, slot }: Filters, newest: number): boolean {
  if (policy !== '' && row.policy !== policy) return false;
  if (outcome !== '' && !hasOutcome(row, outcome)) return false;
  if (slot !== undefined && (row.time < slot[0] || row.time >= slot[1])) return false;
  if (newest - row.time > (RANGES[range]?.[1] ?? 0)) return false;
  const text = `${row.command} ${row.folder ?? ''} ${row.policy} ${row.id}`.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

function hasOutcome(row: LaunchRow, wanted: string): boolean {
  if (wanted === 'hosts refused') return row.hostsRefused > 0;
  if (wanted === 'files put aside') return row.aside > 0;
  if (wanted === 'with credentials') return row.credentials > 0;
  if (wanted === 'without barrier') return row.isolation !== 'barrier';
  return outcomeOf(row) === wanted;
}

const WANTED = [...OUTCOMES, 'hosts refused', 'files put aside', 'with credentials', 'without barrier'];

export function LaunchesView({
  book,
  open,
  isKept,
}: {
  book: LaunchBook;
  open: (id: string) => void;
  isKept: boolean;
}) {
  const [filters, setFilters] = useState(NO_FILTERS);
  const change = (part: Partial<Filters>) => setFilters((before) => ({ ...before, ...part }));
  const newest = isKept ? (book.rows.at(-1)?.time ?? 0) : Date.now();
  const policies = useMemo(() => [...new Set(book.rows.map(({ policy }) => policy))].toSorted(), [book.rows]);
  const unslotted = useMemo(
    () => book.rows.filter((row) => isWanted(row, { ...filters, slot: undefined }, newest)),
    [book.rows, filters],
  );
  const shown = useMemo(
    () => unslotted.filter((row) => isWanted(row, filters, newest)).toReversed(),
    [unslotted, filters],
  );
  if (book.problem !== undefined && book.total < 0) return <Trouble problem={book.problem} />;
  return (
    <>
      <h1 class="unseen">Launches</h1>
      {book.problem !== undefined && <Trouble problem={book.problem} />}
      <Tiles rows={book.rows} total={book.total} />
      {!isKept && <Running running={book.running} />}
      <section class="card timeline">
        <Timeline rows={unslotted} slot={filters.slot} onPick={(slot) => change({ slot })} />
      </section>
      <form class="filters" onSubmit={(event) => event.preventDefault()} role="search" aria-label="Launches">
        <label class="wide">
          <span>Search</span>
          <input
            id="search"
            type="search"
            placeholder="program, folder, policy…"
            value={filters.words}
            onInput={(event) => change({ words: event.currentTarget.value })}
          />
        </label>
        <Choice label="Policy" value={filters.policy} from={policies} onChange={(policy) => change({ policy })} />
        <Choice label="Outcome" value={filters.outcome} from={WANTED} onChange={(outcome) => change({ outcome })} />
        <label>
          <span>When</span>
          <select
            value={filters.range}
            onChange={(event) => change({ range: Number(event.currentTarget.value), slot: undefined })}
          >
            {RANGES.map(([name], i) => (
              <option key={name} value={i}>
                {name}
              </option>
            ))}
          </select>
        </label>
      </form>
      <div class="count">
        <span role="status">
          {book.total < 0
            ? 'reading the record…'
            : `${number(shown.length)} of ${count(book.rows.length, 'launch', 'launches')}`}
          {filters.slot !== undefined &&
            `, ${day(filters.slot[0])} ${clock(filters.slot[0])} to ${clock(filters.slot[1])}`}
        </span>
        {filters !== NO_FILTERS && (
          <button type="button" class="quiet" onClick={() => setFilters(NO_FILTERS)}>
            Clear
          </button>
        )}
      </div>
      <LaunchList rows={shown} open={open} isEmpty={book.total === 0} />
      {book.damagedCount > 0 && <Damaged lines={book.damaged} total={book.damagedCount} />}
    </>
  );
}

function Choice(props: {
  readonly label: string;
  readonly value: string;
  readonly from: readonly string[];
  readonly onChange: (value: string) => void;
}) {
  return (
    <label>
      <span>{props.label}</span>
      <select value={props.value} onChange={(event) => props.onChange(event.currentTarget.value)}>
        <option value="">any</option>
        {props.from.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
    </label>
  );
}

function Tiles({ rows, total }: { readonly rows: readonly LaunchRow[]; readonly total: number }) {
  const facts = useMemo(() => {
    const failed = rows.filter((row) => outcomeOf(row) === 'failed').length;
    const held = rows.reduce((sum, { dropped }) => sum + dropped, 0);
    const given = rows.reduce((sum, { credentials }) => sum + credentials, 0);
    const open = rows.filter(({ isolation }) => isolation !== 'barrier').length;
    return { failed, held, given, open };
  }, [rows]);
  const known = total >= 0;
  const value = (one: number) => (known ? number(one) : '·');
  return (
    <dl class="tiles">
      <Tile label="Launches" value={value(Math.max(0, total))} note="in the record" />
      <Tile label="Held back" value={value(facts.held)} note="variables, in all" />
      <Tile label="Credentials" value={value(facts.given)} note="injected by name" />
      <Tile label="Failed" value={value(facts.failed)} note="exit other than 0" tone={facts.failed > 0 ? 'warn' : ''} />
      <Tile label="No barrier" value={value(facts.open)} note="filter only" tone={facts.open > 0 ? 'warn' : ''} />
    </dl>
  );
}

function Running({ running }: { readonly running: readonly RunningLaunch[] }) {
  return (
    <section class="running" aria-label="Running now" tabIndex={0}>
      <span class={running.length > 0 ? 'pulse' : 'pulse still'} aria-hidden="true" />
      {running.length === 0 ? (
        <span class="soft">nothing runs now</span>
      ) : (
        <ul>
          {running.map(({ pid, program, folder, startedMs }) => (
            <li key={pid}>
              <strong>{program}</strong>
              <span class="soft">
                {folder === null ? '' : `${shortFolder(folder)} · `}
                {span(Math.max(0, Date.now() - startedMs))}
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

const STEPS = [60_000, 300_000, 900_000, 3_600_000, 3 * 3_600_000, 12 * 3_600_000, 86_400_000, 7 * 86_400_000];
const MOST_BARS = 64;

interface TimelineProps {
  readonly rows: readonly LaunchRow[];
  readonly slot: readonly [number, number] | undefined;
  readonly onPick: (slot: readonly [number, number] | undefined) => void;
}

function Timeline({ rows, slot, onPick }: TimelineProps) {
  const { bars, step, from, to } = useMemo(() => binned(rows), [rows]);
  const pick = (time: number) => {
    const start = Math.floor(time / step) * step;
    onPick(slot?.[0] === start ? undefined : [start, start + step]);
  };
  return (
    <>
      <div class="legend" aria-hidden="true">
        {OUTCOMES.map((one) => (
          <span key={one} class={one.replace(/ /g, '-')}>
            {one}
          </span>
        ))}
      </div>
      <Figure
        label={`Launches over time, from ${wholeTime(from)} to ${wholeTime(to)}: ${count(rows.length, 'launch', 'launches')}`}
        height={132}
        keys={[bars, slot]}
        onPick={pick}
        options={(width) => ({
          x: {
            type: 'time',
            domain: [new Date(from), new Date(to)],
            label: null,
            ticks: Math.max(2, Math.floor(width / 110)),
            tickFormat: tick,
            tickSize: 0,
          },
          y: { label: null, ticks: 3, grid: true, nice: true },
          color: {
            domain: [...OUTCOMES],
            range: ['var(--yes-bar)', 'var(--bad-bar)', 'var(--mute)'],
          },
          marks: [
            ...(slot === undefined
              ? []
              : [rectX([slot], { x1: (one) => new Date(one[0]), x2: (one) => new Date(one[1]), fill: 'var(--band)' })]),
            rectY(bars, {
              x1: (one) => new Date(one.time),
              x2: (one) => new Date(one.time + step),
              y: 'count',
              fill: 'outcome',
              order: [...OUTCOMES],
              insetLeft: 0.5,
              insetRight: 0.5,
              rx: 1.5,
              title: (one) => `${day(one.time)} ${clock(one.time)}: ${one.count} ${one.outcome}`,
            }),
            ruleY([0], { stroke: 'var(--line)' }),
          ],
        })}
      />
    </>
  );
}

/** Midnight is a day, everything else a time of it. */
const tick = (time: Date) =>
  time.getHours() + time.getMinutes() === 0 ? day(time.getTime()) : clock(time.getTime()).slice(0, 5);

interface Bar {
  readonly time: number;
  readonly outcome: LaunchOutcome;
  readonly count: number;
}

function binned(rows: readonly LaunchRow[]): { bars: Bar[]; step: number; from: number; to: number } {
  const times = rows.map(({ time }) => time).filter((time) => time > 0);
  const now = Date.now();
  const [oldest, newest] = [
    times.reduce((a, b) => Math.min(a, b), now),
    times.reduce((a, b) => Math.max(a, b), now - 60_000),
  ];
  const length = Math.max(60_000, newest - oldest);
  const step =
    STEPS.find((one) => length / one <= MOST_BARS) ?? Math.ceil(length / MOST_BARS / 86_400_000) * 86_400_000;
  const counts = new Map<string, Bar>();
  for (const row of rows) {
    if (row.time === 0) continue;
    const [time, outcome] = [Math.floor(row.time / step) * step, outcomeOf(row)];
    const key = `${time} ${outcome}`;
    counts.set(key, { time, outcome, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  const start = Math.floor(oldest / step) * step;
  return { bars: [...counts.values()], step, from: start, to: Math.floor(newest / step) * step + step };
}

const NARROW = matchMedia('(max-width: 48rem)');

function LaunchList(props: { rows: readonly LaunchRow[]; open: (id: string) => void; isEmpty: boolean }) {
  const [isNarrow, setNarrow] = useState(NARROW.matches);
  useEffect(() => {
    const look = () => setNarrow(NARROW.matches);
    NARROW.addEventListener('change', look);
    return () => NARROW.removeEventListener('change', look);
  }, []);
  if (props.isEmpty)
    return (
      <Empty title="Nothing was launched yet">
        Start something, for example <code>cordon run -- env</code>, and it appears here.
      </Empty>
    );
  return (
    <VirtualList
      label="Launches, newest first"
      rows={props.rows}
      rowHeight={isNarrow ? 76 : 44}
      keyOf={({ id, time }) => `${id} ${time}`}
      onOpen={({ id }) => props.open(id)}
      heading={
        <div class="head" role="row" aria-rowindex={1}>
          {['Time', 'Program', 'Folder', 'Policy', 'Variables', 'Hosts', 'Aside', 'Took', 'Exit'].map((title) => (
            <span key={title} role="columnheader" class={title.toLowerCase()}>
              {title}
            </span>
          ))}
        </div>
      }
      render={(row) => <LaunchCells row={row} />}
    />
  );
}

function LaunchCells({ row }: { readonly row: LaunchRow }) {
  const { name, folder } = programOf(row.command);
  return (
    <>
      <span role="gridcell" class="time" title={wholeTime(row.time)}>
        <span class="soft">{day(row.time)}</span> {clock(row.time)}
      </span>
      <span role="gridcell" class="program">
        <a href={`#/launch/${encodeURIComponent(row.id)}`} tabIndex={-1}>
          {name}
        </a>
        {row.arguments !== null && row.arguments > 0 && <span class="soft"> +{number(row.arguments)}</span>}
        <small class="soft">{folder}</small>
      </span>
      <span role="gridcell" class="folder soft" title={row.folder ?? ''}>
        {row.folder === null ? '–' : shortFolder(row.folder)}
      </span>
      <span role="gridcell" class="policy">
        <Chip>{row.policy}</Chip>
      </span>
      <span role="gridcell" class="variables" title={`${row.passed} passed, ${row.dropped} held back`}>
        <span>
          <b>{number(row.passed)}</b> <span class="soft">/ {number(row.passed + row.dropped)}</span>
          {row.credentials > 0 && <span class="key" title={count(row.credentials, 'credential')} />}
        </span>
        <Share passed={row.passed} dropped={row.dropped} />
      </span>
      <span role="gridcell" class="hosts">
        {row.hostsReached + row.hostsRefused === 0 ? <span class="soft">–</span> : number(row.hostsReached)}
        {row.hostsRefused > 0 && <span class="refused"> {number(row.hostsRefused)} refused</span>}
      </span>
      <span role="gridcell" class="aside">
        {row.aside === 0 ? <span class="soft">–</span> : number(row.aside)}
      </span>
      <span role="gridcell" class="took soft">
        {span(row.durationMs)}
      </span>
      <span role="gridcell" class="exit">
        <ExitMark row={row} />
      </span>
    </>
  );
}

export function ExitMark({ row }: { readonly row: LaunchRow }) {
  const outcome = outcomeOf(row);
  if (outcome === 'not started') return <Chip tone="mute">not started</Chip>;
  return outcome === 'failed' ? <Chip tone="bad">exit {row.exit}</Chip> : <Chip tone="yes">ok</Chip>;
}

function Damaged({ lines, total }: { readonly lines: readonly DamagedLine[]; readonly total: number }) {
  return (
    <details class="card damaged">
      <summary>{count(total, 'line')} of the record cannot be read</summary>
      <ul>
        {lines.map(({ bytes: size, head }, i) => (
          <li key={i}>
            <span class="soft">{bytes(size)}</span> <code>{head}</code>
          </li>
        ))}
      </ul>
    </details>
  );
}
