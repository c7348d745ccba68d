import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { PolicyKind, PolicyName } from '../api.ts';
import { DecideView } from './decide.tsx';
import { LaunchView } from './launch.tsx';
import { LaunchesView, useLaunches } from './launches.tsx';
import { problemOf, Trouble } from './parts.tsx';
import { PoliciesView } from './policies.tsx';
import { ProofView } from './proof.tsx';
import { SessionsView } from './sessions.tsx';
import { openSource, type PageSource, type Problem } from './source.ts';
import { number, wholeTime } from './words.ts';

const VIEWS = [
  ['launches', 'Launches'],
  ['policies', 'Policies'],
  ['decide', 'Decide'],
  ['sessions', 'Sessions'],
  ['proof', 'Proof'],
] as const;

const partsOf = (hash: string) => hash.replace(/^#\/?/, '').split('/').map(decoded);

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function useRoute(): readonly string[] {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const follow = () => {
      setHash(location.hash);
      scrollTo(0, 0);
    };
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  return partsOf(hash);
}

function App({ source }: { readonly source: PageSource }) {
  const [view = 'launches', ...rest] = useRoute();
  const book = useLaunches(source);
  const current = view === 'launch' ? 'launches' : view;
  useEffect(() => {
    const name = VIEWS.find(([id]) => id === current)?.[1] ?? 'Launches';
    document.title = `${name} · Cordon`;
  }, [current]);
  return (
    <>
      <Bar current={current} source={source} asking={book.asking} />
      <main id="main" tabIndex={-1}>
        <Body view={view} rest={rest} source={source} book={book} />
      </main>
    </>
  );
}

interface BodyProps {
  readonly view: string;
  readonly rest: readonly string[];
  readonly source: PageSource;
  readonly book: ReturnType<typeof useLaunches>;
}

function Body({ view, rest, source, book }: BodyProps) {
  const openLaunch = (id: string) => {
    location.hash = `#/launch/${encodeURIComponent(id)}`;
  };
  switch (view) {
    case 'launch':
      return <LaunchView source={source} id={rest[0] ?? ''} />;
    case 'policies':
      return <PoliciesView source={source} chosen={nameIn(rest)} />;
    case 'decide':
      return <DecideView source={source} />;
    case 'sessions':
      return <SessionsView source={source} />;
    case 'proof':
      return <ProofView source={source} />;
    default:
      return <LaunchesView book={book} open={openLaunch} isKept={source.keptAt !== undefined} />;
  }
}

function nameIn([kind, name]: readonly string[]): PolicyName | undefined {
  return kind === undefined || name === undefined ? undefined : { kind: kind as PolicyKind, name };
}

interface BarProps {
  readonly current: string;
  readonly source: PageSource;
  readonly asking: number;
}

function Bar({ current, source, asking }: BarProps) {
  return (
    <header class="bar">
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to the content
      </button>
      <a class="brand" href="#/launches">
        <Mark /> Cordon
      </a>
      <nav aria-label="Views">
        {VIEWS.map(([id, name]) => (
          <a key={id} href={`#/${id}`} aria-current={current === id ? 'page' : undefined}>
            {name}
            {id === 'decide' && asking > 0 && (
              <span class="badge">
                {number(asking)}
                <span class="unseen"> waiting</span>
              </span>
            )}
          </a>
        ))}
      </nav>
      <span class="state soft">
        {source.keptAt === undefined ? `v${source.version}` : `kept ${wholeTime(Date.parse(source.keptAt))}`}
      </span>
    </header>
  );
}

/** A cord between two posts. */
function Mark() {
  return (
    <svg width="26" height="20" viewBox="0 0 26 20" aria-hidden="true" class="mark-cordon">
      <path d="M4 5 Q13 17 22 5" fill="none" stroke="currentColor" stroke-width="2.4" stroke-linecap="round" />
      <circle cx="4" cy="3.4" r="2.2" fill="currentColor" />
      <circle cx="22" cy="3.4" r="2.2" fill="currentColor" />
      <path d="M4 6V18M22 6V18" stroke="currentColor" stroke-width="2.2" stroke-linecap="round" />
    </svg>
  );
}

function Closed({ problem }: { readonly problem: Problem }) {
  return (
    <>
      <header class="bar">
        <span class="brand">
          <Mark /> Cordon
        </span>
      </header>
      <main id="main">
        <Trouble problem={problem} />
      </main>
    </>
  );
}

/** `/` goes to the search of the view, as on many pages. */
addEventListener('keydown', (event) => {
  const isTyping = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  const search = document.getElementById('search');
  if (search === null) return;
  event.preventDefault();
  search.focus();
});

const root = document.getElementById('root') as HTMLElement;
openSource().then(
  (source) => {
    if (!location.hash.startsWith('#/')) history.replaceState(null, '', '#/launches');
    render(<App source={source} />, root);
  },
  (error) => render(<Closed problem={problemOf(error)} />, root),
);
