import { useMemo, useState } from 'preact/hooks';
import type { PolicyEntry, PolicyKind, PolicyName, ResolvedPolicy, VariableDecision, WhatIf } from '../api.ts';
import { Flow, type Passage } from './flow.tsx';
import { Chip, Empty, Share, Trouble, useLoaded } from './parts.tsx';
import type { PageSource } from './source.ts';
import { count, isGrave, number, reasonOf } from './words.ts';

const TITLES: Readonly<Record<PolicyKind, string>> = {
  defaults: 'Without a policy',
  profile: 'Profiles',
  agent: 'Agents',
  tool: 'Tools',
};

const addressOf = ({ kind, name }: PolicyName) => `#/policies/${kind}/${encodeURIComponent(name)}`;
const keyOf = ({ kind, name }: PolicyName) => `${kind} ${name}`;

export function PoliciesView({
  source,
  chosen,
}: {
  readonly source: PageSource;
  readonly chosen: PolicyName | undefined;
}) {
  const { data, problem } = useLoaded(() => source.policies(), [source]);
  if (problem !== undefined && data === undefined) return <Trouble problem={problem} />;
  const current = data?.find((one) => chosen !== undefined && keyOf(one) === keyOf(chosen)) ?? data?.[0];
  return (
    <>
      <h1 class="unseen">Policies</h1>
      <div class="two-columns">
        <PolicyList entries={data ?? []} current={current} />
        <div class="main-column">
          {current !== undefined && (
            <Policy key={keyOf(current)} source={source} name={current} entries={data ?? []} error={current.error} />
          )}
        </div>
      </div>
    </>
  );
}

function PolicyList({ entries, current }: { entries: readonly PolicyEntry[]; current: PolicyEntry | undefined }) {
  const kinds = (Object.keys(TITLES) as PolicyKind[]).filter((kind) => entries.some((one) => one.kind === kind));
  return (
    <nav class="policies" aria-label="Policies">
      <label class="pick">
        <span>Policy</span>
        <select
          value={current === undefined ? '' : addressOf(current)}
          onChange={(event) => {
            location.hash = event.currentTarget.value;
          }}
        >
          {kinds.map((kind) => (
            <optgroup key={kind} label={TITLES[kind]}>
              {entries
                .filter((one) => one.kind === kind)
                .map((one) => (
                  <option key={one.name} value={addressOf(one)}>
                    {one.name}
                  </option>
                ))}
            </optgroup>
          ))}
        </select>
      </label>
      {kinds.map((kind) => (
        <section key={kind}>
          <h2>{TITLES[kind]}</h2>
          <ul>
            {entries
              .filter((one) => one.kind === kind)
              .map((one) => (
                <li key={one.name}>
                  <a href={addressOf(one)} aria-current={one === current ? 'page' : undefined}>
                    <span class="name">{one.name}</span>
                    {one.error === null ? (
                      <>
                        <span class="soft">
                          {number(one.passed + one.added)}
                          <span class="unseen"> variables arrive</span>
                        </span>
                        <Share passed={one.passed} dropped={one.dropped} added={one.added} />
                      </>
                    ) : (
                      <Chip tone="bad">mistake</Chip>
                    )}
                  </a>
                </li>
              ))}
          </ul>
        </section>
      ))}
    </nav>
  );
}

interface PolicyProps {
  readonly source: PageSource;
  readonly name: PolicyName;
  readonly entries: readonly PolicyEntry[];
  readonly error: string | null;
}

const NO_CHANGE: WhatIf = { allow: [], deny: [], guard: '' };
const isChange = ({ allow, deny, guard }: WhatIf) => allow.length + deny.length > 0 || guard !== '';

function Policy({ source, name, entries, error }: PolicyProps) {
  const [change, setChange] = useState(NO_CHANGE);
  const [otherKey, setOtherKey] = useState('');
  const other = entries.find((one) => keyOf(one) === otherKey);
  const own = useLoaded(() => source.policy(name), [source, keyOf(name)]);
  const tried = useLoaded<ResolvedPolicy | undefined>(
    async () => (isChange(change) ? source.policy(name, change) : undefined),
    [source, keyOf(name), change],
  );
  const second = useLoaded<ResolvedPolicy | undefined>(
    async () => (other === undefined ? undefined : source.policy(other)),
    [source, otherKey],
  );
  if (error !== null) return <Empty title={`${name.name} has a mistake in it`}>{error}</Empty>;
  if (own.problem !== undefined) return <Trouble problem={own.problem} />;
  if (own.data === undefined) return <div class="card skeleton" aria-busy="true" />;
  const compared = tried.data ?? second.data;
  const title = tried.data === undefined ? (second.data?.name ?? '') : 'what you try';
  return (
    <>
      <header class="title">
        <h1>{own.data.name}</h1>
        <p class="soft">
          {own.data.description !== '' && `${own.data.description} · `}
          <code>{own.data.where}</code>
          {own.data.chain.length > 1 && ` · made of ${own.data.chain.join(', ')}`}
        </p>
      </header>
      {own.data.warnings.map((warning) => (
        <p key={warning} class="warning">
          {warning}
        </p>
      ))}
      <Trial
        {...{ change, setChange, otherKey, setOtherKey, entries }}
        own={name}
        isKept={source.keptAt !== undefined}
      />
      {tried.problem !== undefined && isChange(change) && <Trouble problem={tried.problem} />}
      {compared !== undefined && <Differences from={own.data} to={compared} title={title} />}
      <div class={compared === undefined ? '' : 'side-by-side'}>
        <FlowCard policy={own.data} title={compared === undefined ? 'From your shell to the command' : own.data.name} />
        {compared !== undefined && <FlowCard policy={compared} title={title} />}
      </div>
      <Lines policy={own.data} />
      <Variables decisions={own.data.decisions} />
    </>
  );
}

interface TrialProps {
  readonly change: WhatIf;
  readonly setChange: (change: WhatIf) => void;
  readonly otherKey: string;
  readonly setOtherKey: (key: string) => void;
  readonly entries: readonly PolicyEntry[];
  readonly own: PolicyName;
  readonly isKept: boolean;
}

function Trial({ change, setChange, otherKey, setOtherKey, entries, own, isKept }: TrialProps) {
  const [allow, setAllow] = useState('');
  const [deny, setDeny] = useState('');
  const [guard, setGuard] = useState('');
  const patterns = (text: string) => text.split(/[\s,]+/).filter((one) => one !== '');
  const attempt = (event: Event) => {
    event.preventDefault();
    setOtherKey('');
    setChange({ allow: patterns(allow), deny: patterns(deny), guard });
  };
  const clear = () => {
    setAllow('');
    setDeny('');
    setGuard('');
    setOtherKey('');
    setChange(NO_CHANGE);
  };
  const isClear = !isChange(change) && otherKey === '' && `${allow}${deny}${guard}` === '';
  return (
    <form class="card trial" onSubmit={attempt} aria-label="Try a change without saving it">
      <label>
        <span>What if I allow</span>
        <input
          value={allow}
          disabled={isKept}
          placeholder="AWS_* GH_TOKEN"
          spellcheck={false}
          autocapitalize="off"
          onInput={(event) => setAllow(event.currentTarget.value)}
        />
      </label>
      <label>
        <span>and deny</span>
        <input
          value={deny}
          disabled={isKept}
          placeholder="*SECRET*"
          spellcheck={false}
          autocapitalize="off"
          onInput={(event) => setDeny(event.currentTarget.value)}
        />
      </label>
      <label>
        <span>with the guard</span>
        <select value={guard} disabled={isKept} onChange={(event) => setGuard(event.currentTarget.value)}>
          <option value="">as it is</option>
          <option>off</option>
          <option>strip</option>
          <option>forbid</option>
        </select>
      </label>
      <button type="submit" class="primary" disabled={isKept}>
        Try
      </button>
      <label>
        <span>or compare with</span>
        <select
          value={otherKey}
          onChange={(event) => {
            setChange(NO_CHANGE);
            setOtherKey(event.currentTarget.value);
          }}
        >
          <option value="">nothing</option>
          {entries
            .filter((one) => keyOf(one) !== keyOf(own) && one.error === null)
            .map((one) => (
              <option key={keyOf(one)} value={keyOf(one)}>
                {one.kind === 'defaults' ? one.name : keyOf(one)}
              </option>
            ))}
        </select>
      </label>
      <button type="button" disabled={isClear} onClick={clear}>
        Clear
      </button>
    </form>
  );
}

const arrives = ({ verdict }: Pick<VariableDecision, 'verdict'>) => verdict !== 'drop';

function Differences({ from, to, title }: { from: ResolvedPolicy; to: ResolvedPolicy; title: string }) {
  const changed = useMemo(() => differences(from.decisions, to.decisions), [from, to]);
  const settings = useMemo(() => settingsChanged(from, to), [from, to]);
  return (
    <section class="card" aria-live="polite">
      <h2>
        {changed.length + settings.length === 0
          ? 'Nothing changes for your variables'
          : `${count(changed.length, 'variable')} and ${count(settings.length, 'setting')} differ`}
      </h2>
      {changed.length + settings.length > 0 && (
        <div class="scroll" role="region" aria-label="What differs" tabIndex={0}>
          <table>
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col">{from.name}</th>
                <th scope="col">{title}</th>
                <th scope="col">Because</th>
              </tr>
            </thead>
            <tbody>
              {changed.map(({ name, before, after }) => (
                <tr key={name}>
                  <th scope="row">
                    <code>{name}</code>
                  </th>
                  <td>
                    <Verdict decision={before} />
                  </td>
                  <td>
                    <Verdict decision={after} />
                  </td>
                  <td class="soft">{after?.reason ?? 'it is not added'}</td>
                </tr>
              ))}
              {settings.map(({ key, before, after }) => (
                <tr key={key}>
                  <th scope="row">
                    <code>{key}</code>
                  </th>
                  <td>{before}</td>
                  <td>{after}</td>
                  <td class="soft">setting</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

function Verdict({ decision }: { readonly decision: VariableDecision | undefined }) {
  if (decision === undefined) return <Chip tone="mute">not there</Chip>;
  const tones = { pass: 'yes', drop: 'no', set: 'new', credential: 'new' } as const;
  const words = { pass: 'passes', drop: 'held back', set: 'set', credential: 'injected' } as const;
  return <Chip tone={tones[decision.verdict]}>{words[decision.verdict]}</Chip>;
}

function differences(before: readonly VariableDecision[], after: readonly VariableDecision[]) {
  const [old, fresh] = [before, after].map((list) => new Map(list.map((one) => [one.name, one])));
  const names = [...new Set([...before, ...after].map(({ name }) => name))].toSorted();
  return names
    .map((name) => ({ name, before: old?.get(name), after: fresh?.get(name) }))
    .filter((one) => one.before?.verdict !== one.after?.verdict);
}

const SETTING = /^(?:filesystem|network|isolation|redact|environment\.(?:guard|base))/;

function settingsChanged(from: ResolvedPolicy, to: ResolvedPolicy) {
  const settings = ({ lines }: ResolvedPolicy) => {
    const found = new Map<string, string>();
    for (const { key, value, origin } of lines.filter((line) => SETTING.test(line.key))) {
      const isLast = /guard$/.test(key) && origin === 'what you try';
      const before = isLast ? undefined : found.get(key);
      found.set(key, before === undefined ? value : `${before}, ${value}`);
    }
    return found;
  };
  const [old, fresh] = [settings(from), settings(to)];
  return [...new Set([...old.keys(), ...fresh.keys()])]
    .map((key) => ({ key, before: old.get(key) ?? '–', after: fresh.get(key) ?? '–' }))
    .filter(({ before, after }) => before !== after);
}

function FlowCard({ policy, title }: { readonly policy: ResolvedPolicy; readonly title: string }) {
  const passages = useMemo(
    () =>
      policy.decisions.map(
        (one): Passage => ({
          name: one.name,
          arrives: arrives(one),
          added: one.verdict === 'set' || one.verdict === 'credential',
          reason: reasonOf(one.verdict, one.rule, one.origin),
          grave: isGrave(one.rule),
          detail: `${one.reason} (${one.rule}, ${one.origin})`,
        }),
      ),
    [policy],
  );
  return (
    <section class="card">
      <h2>{title}</h2>
      {passages.length === 0 ? <Empty title="No variables" /> : <Flow passages={passages} title={title} />}
    </section>
  );
}

function Lines({ policy }: { readonly policy: ResolvedPolicy }) {
  return (
    <section class="card">
      <h2>Every line, and where it is written</h2>
      <div class="scroll" role="region" aria-label="Lines of the policy" tabIndex={0}>
        <table class="lines">
          <thead>
            <tr>
              <th scope="col">Key</th>
              <th scope="col">Says</th>
              <th scope="col">Written in</th>
            </tr>
          </thead>
          <tbody>
            {policy.lines.map(({ key, value, origin }, i) => (
              <tr key={i} class={policy.lines[i - 1]?.key === key ? 'again' : ''}>
                <th scope="row">
                  <code>{key}</code>
                </th>
                <td>
                  <code>{value}</code>
                </td>
                <td class="soft">
                  <code>{origin}</code>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Variables({ decisions }: { readonly decisions: readonly VariableDecision[] }) {
  const [words, setWords] = useState('');
  const shown = decisions.filter((one) =>
    `${one.name} ${one.rule} ${one.reason}`.toLowerCase().includes(words.toLowerCase()),
  );
  return (
    <section class="card">
      <div class="card-head">
        <h2>Every variable, and why</h2>
        <label>
          <span class="unseen">Search variables</span>
          <input
            type="search"
            placeholder="name, rule or reason"
            value={words}
            onInput={(event) => setWords(event.currentTarget.value)}
          />
        </label>
      </div>
      <div class="scroll" role="region" aria-label="Variables" tabIndex={0}>
        <table class="lines">
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Verdict</th>
              <th scope="col">Why</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((one) => (
              <tr key={one.name}>
                <th scope="row">
                  <code>{one.name}</code>
                </th>
                <td>
                  <Verdict decision={one} />
                </td>
                <td>
                  {one.reason}
                  <small class="soft rule">
                    <code>{one.rule}</code> {one.origin}
                  </small>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
