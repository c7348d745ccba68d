import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type {
  AllPending,
  AppliedFile,
  HostDecision,
  HostQuestion,
  PageDecision,
  PendingChange,
  RefusedName,
} from '../api.ts';
import { AsideLine, Chip, Empty, problemOf, Trouble, useLoaded } from './parts.tsx';
import type { PageSource, Problem } from './source.ts';
import { clock, count, day, programOf, span } from './words.ts';

const EVERY_MS = 1000;

interface Answered {
  /** What the server said last, until it is asked again. */
  readonly pending?: AllPending;
  readonly launch?: string;
  readonly files?: readonly AppliedFile[];
  readonly problem?: Problem;
}

/** What waits for a person. Nothing here is decided by time but refusal: what nobody answers is refused, or stays put aside. */
export function DecideView({ source }: { readonly source: PageSource }) {
  const [answered, setAnswered] = useState<Answered>({});
  const isLive = source.keptAt === undefined;
  const { data, problem } = useLoaded(() => source.pending(), [source, answered], isLive ? EVERY_MS : undefined);
  /** Whether it was taken. */
  const answer = (decision: PageDecision): Promise<boolean> =>
    source.answer(decision).then(
      ({ files, pending }) => {
        setAnswered('launch' in decision ? { files, pending, launch: decision.launch } : { pending });
        return true;
      },
      (error) => {
        setAnswered({ problem: problemOf(error) });
        return false;
      },
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
            ? 'What you do not answer is refused, or stays put aside.'
            : 'This page only shows what waits. Start cordon ui --decide to decide here.'}
        </p>
      </header>
      {answered.problem !== undefined && <Trouble problem={answered.problem} />}
      {isLive && <Questions pending={pending} mayDecide={source.decide} answer={answer} />}
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

/** A question that was seen once keeps its place, so that nothing moves below a pointer that is about to press. */
interface Seen {
  readonly question: HostQuestion;
  readonly sinceMs: number;
  /** How it ended. */
  said?: string;
}

/** What has just come can't be answered yet: whoever presses then meant something else. */
const SETTLES_MS = 1000;

interface QuestionsProps {
  readonly pending: AllPending;
  readonly mayDecide: boolean;
  readonly answer: (decision: HostDecision) => Promise<boolean>;
}

function Questions({ pending, mayDecide, answer }: QuestionsProps) {
  const seen = useRef(new Map<string, Seen>());
  const now = useNow(pending.asking > 0);
  for (const question of pending.questions)
    if (!seen.current.has(question.id)) seen.current.set(question.id, { question, sinceMs: Date.now() });
  const shown = new Set(pending.questions.map(({ id }) => id));
  for (const one of seen.current.values())
    if (!shown.has(one.question.id)) one.said ??= outcomeOf(one.question, Date.now());
  const waits = ({ said }: Seen) => said === undefined;
  const say = async (one: Seen, decision: HostDecision, said: string) => {
    if (await answer(decision)) one.said = said;
  };
  return (
    <section class="card">
      <h2>Hosts that are asked for</h2>
      <p class="soft" role="status">
        {pending.asking === 0
          ? 'No host waits. One that a command with --net ask wants to reach comes here by itself.'
          : `${count(pending.asking, 'host')} ${pending.asking === 1 ? 'waits' : 'wait'} for an answer.`}
        {pending.asking > shown.size && ` The first ${shown.size} are shown.`}
      </p>
      <ul class="waiting">
        {[...seen.current.values()].map((one) => (
          <li key={one.question.id} class={waits(one) ? '' : 'over'}>
            <Asked question={one.question}>
              {waits(one) ? (
                `refused in ${span(Math.max(0, Math.ceil((one.question.until - now) / 1000)) * 1000)}`
              ) : (
                <Chip>{one.said}</Chip>
              )}
            </Asked>
            {mayDecide && (
              <Answers
                question={one.question}
                profiles={pending.profiles}
                isOpen={waits(one) && now - one.sinceMs >= SETTLES_MS}
                say={(decision, said) => say(one, decision, said)}
              />
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Of one that is gone without having been answered here. */
const outcomeOf = ({ until }: HostQuestion, now: number) =>
  until <= now ? 'refused: nobody answered in time' : 'waits no more';

/** The time, each second as long as something depends on it. */
function useNow(isNeeded: boolean): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (!isNeeded) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, [isNeeded]);
  return now;
}

function Asked({ question, children }: { readonly question: HostQuestion; readonly children: ComponentChildren }) {
  const { host, command, policy, time } = question;
  return (
    <div class="what">
      <code class="large">{host}</code>
      <p class="soft">
        <strong>{programOf(command).name}</strong> · {policy} · asked {clock(time)} · {children}
      </p>
    </div>
  );
}

interface AnswersProps {
  readonly question: HostQuestion;
  readonly profiles: readonly string[];
  readonly isOpen: boolean;
  readonly say: (decision: HostDecision, said: string) => void;
}

function Answers({ question: { id, host, policy }, profiles, isOpen, say }: AnswersProps) {
  const own = /^profile (.+)$/.exec(policy)?.[1] ?? '';
  const [chosen, setChosen] = useState(own);
  const profile = profiles.includes(chosen) ? chosen : '';
  const button = (text: string, decision: Omit<HostDecision, 'question'>, said: string, tone = '') => (
    <button type="button" class={tone} disabled={!isOpen} onClick={() => say({ question: id, ...decision }, said)}>
      {text}
    </button>
  );
  return (
    <div class="answers" role="group" aria-label={`Decide about ${host}`}>
      {button('Allow once', { answer: 'once' }, 'let through once')}
      {button('For this launch', { answer: 'launch' }, 'let through for the launch')}
      {profiles.length > 0 && (
        <>
          <select aria-label={`Profile to write ${host} to`} onChange={(event) => setChosen(event.currentTarget.value)}>
            <option value="" selected={profile === ''}>
              a profile…
            </option>
            {profiles.map((name) => (
              <option key={name} value={name} selected={name === profile}>
                {name}
              </option>
            ))}
          </select>
          <button
            type="button"
            disabled={!isOpen || profile === ''}
            onClick={() => say({ question: id, answer: 'launch', profile }, `let through, and in profile ${profile}`)}
          >
            In the profile
          </button>
        </>
      )}
      {button('Refuse', { answer: 'no' }, 'refused', 'danger')}
    </div>
  );
}

interface WaitingProps {
  readonly one: PendingChange;
  readonly mayDecide: boolean;
  readonly answer: (decision: PageDecision) => void;
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
