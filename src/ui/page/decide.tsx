import { useState } from 'preact/hooks';
import type { AppliedFile, Decision, Pending, PendingChange, RefusedName } from '../api.ts';
import { AsideLine, Chip, Empty, problemOf, Trouble, useLoaded } from './parts.tsx';
import type { Problem, Source } from './source.ts';
import { clock, count, day, programOf } from './words.ts';

const EVERY_MS = 2000;

interface Answered {
  /** What the server said last, until it is asked again. */
  readonly pending?: Pending;
  readonly launch?: string;
  readonly files?: readonly AppliedFile[];
  readonly problem?: Problem;
}

/** What waits for a person. Nothing here is decided by time: what nobody answers stays refused, or put aside. */
export function DecideView({ source }: { readonly source: Source }) {
  const [answered, setAnswered] = useState<Answered>({});
  const isLive = source.keptAt === undefined;
  const { data, problem } = useLoaded(() => source.pending(), [source, answered], isLive ? EVERY_MS : undefined);
  const answer = (decision: Decision) =>
    source.answer(decision).then(
      ({ files, pending }) => setAnswered({ files, pending, launch: decision.launch }),
      (error) => setAnswered({ problem: problemOf(error) }),
    );
  const pending = data ?? answered.pending;
  if (problem !== undefined) return <Trouble problem={problem} />;
  if (pending === undefined) return <div class="card skeleton" aria-busy="true" />;
  return (
    <>
      <header class="title">
        <h1>Decide</h1>
        <p class="soft">
          {source.decide
            ? 'What you do not answer stays put aside, or refused.'
            : 'This page only shows what waits. Start cordon ui --decide to decide here.'}
        </p>
      </header>
      {answered.problem !== undefined && <Trouble problem={answered.problem} />}
      <section class="card">
        <h2>Files that were put aside</h2>
        {pending.changes.length === 0 && <Empty title="No file waits" />}
        <ul class="waiting">
          {pending.changes.map((one) => (
            <Waiting
              key={one.launch}
              one={one}
              mayDecide={source.decide}
              answer={answer}
              files={answered.launch === one.launch ? answered.files : undefined}
            />
          ))}
        </ul>
      </section>
      <Names names={pending.names} />
    </>
  );
}

interface WaitingProps {
  readonly one: PendingChange;
  readonly mayDecide: boolean;
  readonly answer: (decision: Decision) => void;
  readonly files: readonly AppliedFile[] | undefined;
}

function Waiting({ one, mayDecide, answer, files }: WaitingProps) {
  const { name } = programOf(one.command);
  return (
    <li>
      <div class="what">
        <a href={`#/launch/${encodeURIComponent(one.launch)}`}>
          <strong>{name}</strong>
        </a>{' '}
        <span class="soft">
          {count(one.count, 'file')} · {day(one.time)} {clock(one.time)}
          {one.lost > 0 && ` · ${one.lost} more could not be kept`}
        </span>
        <ul class="files">
          {one.files.map((file) => (
            <AsideLine key={file.path} file={file} />
          ))}
          {one.count > one.files.length && <li class="soft">and {one.count - one.files.length} more</li>}
        </ul>
        {files !== undefined && <Results files={files} />}
      </div>
      {mayDecide && (
        <div class="answers" role="group" aria-label={`Decide about the files of ${name}`}>
          <button type="button" class="primary" onClick={() => answer({ launch: one.launch, answer: 'apply' })}>
            Apply
          </button>
          <button type="button" class="danger" onClick={() => answer({ launch: one.launch, answer: 'drop' })}>
            Drop
          </button>
        </div>
      )}
    </li>
  );
}

function Results({ files }: { readonly files: readonly AppliedFile[] }) {
  const refused = files.filter(({ outcome }) => outcome === 'refused');
  const applied = files.filter(({ outcome }) => outcome === 'applied').length;
  return (
    <div role="status">
      <p>
        <Chip tone="yes">{count(applied, 'file')} taken over</Chip>{' '}
        {refused.length > 0 && <Chip tone="warn">{refused.length} not</Chip>}
      </p>
      <ul class="files">
        {refused.map(({ path, why }) => (
          <li key={path}>
            <code>{path}</code> <span class="soft">{why}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Names({ names }: { readonly names: readonly RefusedName[] }) {
  return (
    <section class="card">
      <h2>Names that were refused</h2>
      {names.length === 0 && <Empty title="No name was refused" />}
      <ul class="waiting">
        {names.map((one) => (
          <li key={one.name}>
            <div class="what">
              <code class="large">{one.name}</code>
              <p class="soft">
                {count(one.count, 'time')}
                {one.reason !== '' && ` · ${one.reason}`} ·{' '}
                <a href={`#/launch/${encodeURIComponent(one.launch)}`}>the newest launch</a>
              </p>
            </div>
            <p class="soft">
              to allow it: <code>cordon run --net {one.name}</code>
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}
