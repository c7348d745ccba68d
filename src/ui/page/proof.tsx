import { useState } from 'preact/hooks';
import type { ProofCell, ProofProbe, ProofRun, Proofs } from '../api.ts';
import { Chip, Empty, Trouble, useLoaded } from './parts.tsx';
import type { PageSource } from './source.ts';
import { count, number, wholeTime } from './words.ts';

const VERDICTS: Readonly<Record<string, readonly [string, string]>> = {
  held: ['yes', 'everything that was promised held'],
  leak: ['bad', 'a promise is broken'],
  unproven: ['warn', 'not everything could be tried'],
};

export function ProofView({ source }: { readonly source: PageSource }) {
  const [run, setRun] = useState<string | undefined>(undefined);
  const { data, problem } = useLoaded(() => source.proofs(run), [source, run]);
  if (problem !== undefined && data === undefined) return <Trouble problem={problem} />;
  if (data === undefined) return <div class="card skeleton" aria-busy="true" />;
  const { shown } = data;
  if (shown === null)
    return (
      <>
        <h1 class="unseen">Proof</h1>
        <Empty title="Nothing was proven yet">
          Run <code>cordon prove</code>: its last ten runs are kept and shown here.
        </Empty>
      </>
    );
  return <Matrix key={shown.id} runs={data.runs} shown={shown} isKept={source.keptAt !== undefined} setRun={setRun} />;
}

interface MatrixProps {
  readonly runs: readonly ProofRun[];
  readonly shown: NonNullable<Proofs['shown']>;
  readonly isKept: boolean;
  readonly setRun: (id: string) => void;
}

const SHOWN = ['all probes', 'changed', 'leaked', 'open', 'blocked'];

function Matrix({ runs, shown, isKept, setRun }: MatrixProps) {
  const [filter, setFilter] = useState('all probes');
  const [words, setWords] = useState('');
  const [tone, sentence] = VERDICTS[shown.verdict] ?? ['mute', shown.verdict];
  const changed = shown.probes.flatMap(({ cells }) => cells).filter(({ before }) => before !== null).length;
  const probes = shown.probes.filter((probe) => isWanted(probe, filter, words));
  const groups = [...new Set(probes.map(({ group }) => group))];
  return (
    <>
      <header class="title">
        <h1>
          Proof <Chip tone={tone}>{shown.verdict}</Chip>
        </h1>
        <p class="soft">
          {wholeTime(Date.parse(shown.date) || 0)}: {sentence}.{' '}
          {shown.comparedWith === null
            ? 'There is no run before it to compare with.'
            : `${count(changed, 'result')} changed since ${wholeTime(Date.parse(shown.comparedWith) || 0)}.`}
        </p>
      </header>
      <div class="cards">
        {shown.counts.map((one) => (
          <section key={one.launcher} class="card">
            <h2>{one.launcher}</h2>
            <dl class="counts">
              <Count name="leaked" value={one.leaked} tone="bad" />
              <Count name="open" value={one.open} tone="warn" />
              <Count name="blocked" value={one.blocked} tone="yes" />
              <Count name="not here" value={one.notApplicable} tone="mute" />
            </dl>
          </section>
        ))}
      </div>
      <form class="filters" onSubmit={(event) => event.preventDefault()} role="search" aria-label="Probes">
        <label class="wide">
          <span>Search</span>
          <input
            id="search"
            type="search"
            placeholder="probe"
            value={words}
            onInput={(event) => setWords(event.currentTarget.value)}
          />
        </label>
        <label>
          <span>Show</span>
          <select value={filter} onChange={(event) => setFilter(event.currentTarget.value)}>
            {SHOWN.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
        <label>
          <span>Run</span>
          <select value={shown.id} disabled={isKept} onChange={(event) => setRun(event.currentTarget.value)}>
            {runs.map(({ id, date, verdict }) => (
              <option key={id} value={id}>
                {date.slice(0, 16).replace('T', ' ')} {verdict}
              </option>
            ))}
          </select>
        </label>
      </form>
      <p class="count">
        <span role="status">
          {number(probes.length)} of {count(shown.probes.length, 'probe')}
        </span>
      </p>
      <div class="card scroll flush" role="region" aria-label="Matrix" tabIndex={0}>
        <table class="matrix">
          <thead>
            <tr>
              <th scope="col">Probe</th>
              {shown.launchers.map((one) => (
                <th scope="col" key={one}>
                  {one}
                </th>
              ))}
            </tr>
          </thead>
          {groups.map((group) => (
            <tbody key={group}>
              <tr class="group">
                <th scope="rowgroup" colSpan={1 + shown.launchers.length}>
                  {group}
                </th>
              </tr>
              {probes
                .filter((probe) => probe.group === group)
                .map((probe) => (
                  <tr key={probe.id}>
                    <th scope="row">
                      <span>{probe.title}</span>
                      <small class="soft">
                        <code>{probe.id}</code>
                      </small>
                    </th>
                    {probe.cells.map((cell, i) => (
                      <td key={shown.launchers[i]}>
                        <Cell cell={cell} />
                      </td>
                    ))}
                  </tr>
                ))}
            </tbody>
          ))}
        </table>
      </div>
    </>
  );
}

const TONES: Readonly<Record<string, string>> = { leaked: 'bad', open: 'warn', blocked: 'yes' };

function Cell({ cell }: { readonly cell: ProofCell }) {
  return (
    <span title={cell.reason}>
      <Chip tone={TONES[cell.status] ?? 'mute'}>{cell.status === 'not applicable' ? 'not here' : cell.status}</Chip>
      {cell.before !== null && <small class="was">was {cell.before}</small>}
    </span>
  );
}

function Count({ name, value, tone }: { readonly name: string; readonly value: number; readonly tone: string }) {
  return (
    <div class={value === 0 ? 'mute' : tone}>
      <dt>{name}</dt>
      <dd>{number(value)}</dd>
    </div>
  );
}

function isWanted({ id, title, cells }: ProofProbe, filter: string, words: string): boolean {
  if (!`${id} ${title}`.toLowerCase().includes(words.toLowerCase())) return false;
  if (filter === 'all probes') return true;
  if (filter === 'changed') return cells.some(({ before }) => before !== null);
  // The first column is what happens with nothing around it.
  return cells.slice(1).some(({ status }) => status === filter);
}
