import { useState } from 'preact/hooks';
import type { Decision, Pending } from '../api.ts';
import { Chip, Empty, problemOf, Trouble, useLoaded } from './parts.tsx';
import type { Problem, Source } from './source.ts';
import { clock, count, day, programOf } from './words.ts';

const EVERY_MS = 2000;

/** What waits for a person. Nothing here is decided by time: what nobody answers stays refused, or put aside. */
export function DecideView({ source }: { readonly source: Source }) {
  const isLive = source.keptAt === undefined;
  const { data, problem } = useLoaded(() => source.pending(), [source], isLive ? EVERY_MS : undefined);
  const [answered, setAnswered] = useState<{ readonly pending?: Pending; readonly problem?: Problem }>({});
  const answer = (decision: Decision) =>
    source.answer(decision).then(
      (pending) => setAnswered({ pending }),
      (error) => setAnswered({ problem: problemOf(error) }),
    );
  if (problem !== undefined) return <Trouble problem={problem} />;
  if (data === undefined) return <div class="card skeleton" aria-busy="true" />;
  return (
    <>
      <header class="title">
        <h1>Decide</h1>
        <p class="soft">
          {source.decide
            ? 'What you do not answer stays refused, or stays put aside.'
            : 'This page only shows what waits. Start cordon ui --decide to decide here.'}
        </p>
      </header>
      {answered.problem !== undefined && <Trouble problem={answered.problem} />}
      <Names pending={data} mayDecide={source.decide} answer={answer} />
      <Changes pending={data} mayDecide={source.decide} answer={answer} />
    </>
  );
}

interface PartProps {
  readonly pending: Pending;
  readonly mayDecide: boolean;
  readonly answer: (decision: Decision) => void;
}

const ANSWERS = [
  ['once', 'Allow once'],
  ['launch', 'For this launch'],
  ['profile', 'In the profile'],
  ['refuse', 'Refuse'],
] as const;

function Names({ pending, mayDecide, answer }: PartProps) {
  return (
    <section class="card">
      <h2>Names that were asked for</h2>
      {pending.names.length === 0 && <Empty title="Nobody waits for a name" />}
      <ul class="waiting">
        {pending.names.map((one) => (
          <li key={one.id}>
            <div>
              <code class="large">
                {one.name}
                {one.port === null ? '' : `:${one.port}`}
              </code>
              <p class="soft">
                {programOf(one.command).name} · {one.policy} · {day(one.time)} {clock(one.time)}
              </p>
            </div>
            {mayDecide && (
              <div class="answers" role="group" aria-label={`Decide about ${one.name}`}>
                {ANSWERS.map(([word, label]) => (
                  <button
                    key={word}
                    type="button"
                    class={word === 'refuse' ? 'danger' : ''}
                    onClick={() => answer({ kind: 'name', id: one.id, answer: word })}
                  >
                    {label}
                  </button>
                ))}
              </div>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Changes({ pending, mayDecide, answer }: PartProps) {
  return (
    <section class="card">
      <h2>Files that were put aside</h2>
      {pending.changes.length === 0 && <Empty title="No file waits" />}
      <ul class="waiting">
        {pending.changes.map((one) => (
          <li key={one.launch}>
            <div>
              <strong>{programOf(one.command).name}</strong>{' '}
              <span class="soft">
                {count(one.files.length, 'file')} · {day(one.time)} {clock(one.time)}
              </span>
              <ul class="files">
                {one.files.map(({ path, kind }) => (
                  <li key={path}>
                    <Chip>{kind}</Chip> <code>{path}</code>
                  </li>
                ))}
              </ul>
            </div>
            {mayDecide && (
              <div class="answers" role="group" aria-label={`Decide about the files of ${programOf(one.command).name}`}>
                <button
                  type="button"
                  class="primary"
                  onClick={() => answer({ kind: 'changes', launch: one.launch, answer: 'apply' })}
                >
                  Apply
                </button>
                <button
                  type="button"
                  class="danger"
                  onClick={() => answer({ kind: 'changes', launch: one.launch, answer: 'drop' })}
                >
                  Drop
                </button>
              </div>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
