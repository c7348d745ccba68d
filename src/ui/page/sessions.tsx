import { areaY, barX, barY, lineY, ruleY, text } from '@observablehq/plot';
import type { RunningService } from '../api.ts';
import { Empty, Tile, Trouble, useLoaded } from './parts.tsx';
import { Figure } from './plot.tsx';
import type { PageSource } from './source.ts';
import { clock, number, span } from './words.ts';

const EVERY_MS = 5000;

export function SessionsView({ source }: { readonly source: PageSource }) {
  const isLive = source.keptAt === undefined;
  const { data, problem } = useLoaded(() => source.sessions(), [source], isLive ? EVERY_MS : undefined);
  if (problem !== undefined) return <Trouble problem={problem} />;
  if (data === undefined) return <div class="card skeleton" aria-busy="true" />;
  return (
    <>
      <h1 class="unseen">Sessions</h1>
      {data.services.length === 0 && (
        <Empty title="cordon serve does not run here">
          When it does, its users, calls, limits and load are shown here: numbers only, never a name or a value.
        </Empty>
      )}
      {data.services.map((service) => (
        <ServiceCard key={service.address} service={service} />
      ))}
    </>
  );
}

function ServiceCard({ service }: { readonly service: RunningService }) {
  const calls = service.calls.reduce((sum, { count }) => sum + count, 0);
  const limits = service.limits.reduce((sum, { count }) => sum + count, 0) + outcome(service, 'refused', 'limit');
  return (
    <>
      <header class="title">
        <h1>
          <code>{service.address}</code>
        </h1>
        <p class="soft">
          {service.reachable ? `has run for ${span(Date.now() - service.startedMs)}` : 'it does not answer right now'}
        </p>
      </header>
      <dl class="tiles six">
        <Tile label="Users" value={number(service.users)} note="with an open session" />
        <Tile label="Sessions" value={number(service.sessions)} note={`${number(service.opened)} since its start`} />
        <Tile label="Running" value={number(service.running)} note="calls right now" />
        <Tile label="Calls" value={number(calls)} note={`${number(outcome(service, 'ok'))} went well`} />
        <Tile label="Limits hit" value={number(limits)} note="calls and requests" tone={limits > 0 ? 'warn' : ''} />
        <Tile
          label="Tokens refused"
          value={number(service.refusedTokens)}
          tone={service.refusedTokens > 0 ? 'warn' : ''}
        />
      </dl>
      <div class="side-by-side">
        <section class="card">
          <h2>Load</h2>
          <Load service={service} />
        </section>
        <section class="card">
          <h2>Calls by outcome</h2>
          <Outcomes service={service} />
        </section>
        <section class="card">
          <h2>How long calls take</h2>
          <Durations service={service} />
        </section>
        <section class="card">
          <h2>Limits</h2>
          <Limits service={service} />
        </section>
      </div>
    </>
  );
}

const outcome = ({ calls }: RunningService, ...wanted: string[]) =>
  calls.filter((one) => wanted.includes(one.outcome)).reduce((sum, { count }) => sum + count, 0);

function Load({ service }: { readonly service: RunningService }) {
  const { samples } = service;
  const at = (one: { time: number }) => new Date(one.time);
  return (
    <>
      <div class="legend" aria-hidden="true">
        <span class="sessions">sessions</span>
        <span class="calls">calls running</span>
      </div>
      <Figure
        label={`Open sessions and running calls while this page was open; now ${service.sessions} and ${service.running}`}
        height={160}
        keys={[samples]}
        options={(width) => ({
          x: {
            type: 'time',
            label: null,
            ticks: Math.max(2, Math.floor(width / 130)),
            tickFormat: (time: Date) => clock(time.getTime()),
            tickSize: 0,
          },
          y: {
            label: null,
            grid: true,
            ticks: 4,
            domain: [0, Math.max(4, ...samples.flatMap((one) => [one.sessions, one.running]))],
          },
          marks: [
            areaY(samples, { x: at, y: 'sessions', fill: 'var(--accent)', fillOpacity: 0.12, curve: 'step-after' }),
            lineY(samples, { x: at, y: 'sessions', stroke: 'var(--accent)', strokeWidth: 2, curve: 'step-after' }),
            lineY(samples, { x: at, y: 'running', stroke: 'var(--warn)', strokeWidth: 2, curve: 'step-after' }),
            ruleY([0], { stroke: 'var(--line)' }),
          ],
        })}
      />
    </>
  );
}

function Outcomes({ service }: { readonly service: RunningService }) {
  if (service.calls.length === 0) return <Empty title="No call yet" />;
  const data = service.calls.map((one) => ({ ...one, label: `${one.kind} ${one.outcome}` }));
  return (
    <Figure
      label={data.map(({ label, count }) => `${label}: ${count}`).join(', ')}
      height={160}
      keys={[service.calls]}
      options={() => ({
        marginLeft: 96,
        marginRight: 44,
        x: { axis: null },
        y: { label: null, domain: data.map(({ label }) => label) },
        marks: [
          barX(data, {
            x: 'count',
            y: 'label',
            fill: (one) => (one.outcome === 'ok' ? 'var(--yes-bar)' : 'var(--warn-bar)'),
            rx: 2,
            insetTop: 2,
            insetBottom: 2,
          }),
          text(data, {
            x: 'count',
            y: 'label',
            text: (one) => number(one.count),
            textAnchor: 'start',
            dx: 6,
            fill: 'currentColor',
          }),
        ],
      })}
    />
  );
}

function Durations({ service }: { readonly service: RunningService }) {
  const cumulative = service.durations;
  const data = cumulative.map(({ le, count }, i) => ({
    label: le === '+Inf' ? 'more' : `≤ ${le} s`,
    count: count - (cumulative[i - 1]?.count ?? 0),
  }));
  if (data.every(({ count }) => count === 0)) return <Empty title="No call yet" />;
  return (
    <Figure
      label={`Calls by duration: ${data.map(({ label, count }) => `${label} ${count}`).join(', ')}`}
      height={160}
      keys={[cumulative]}
      options={(width) => ({
        x: { label: null, domain: data.map(({ label }) => label), tickRotate: width < 520 ? -45 : 0 },
        marginBottom: width < 520 ? 44 : 22,
        y: { label: null, grid: true, ticks: 4 },
        marks: [
          barY(data, { x: 'label', y: 'count', fill: 'var(--accent)', rx: 2, insetLeft: 2, insetRight: 2 }),
          ruleY([0], { stroke: 'var(--line)' }),
        ],
      })}
    />
  );
}

function Limits({ service }: { readonly service: RunningService }) {
  const rows: readonly (readonly [string, number])[] = [
    ...service.limits.map(({ limit, count }) => [`${limit} of one user`, count] as const),
    ['calls not begun', outcome(service, 'refused')],
    ['calls ended at a limit of theirs', outcome(service, 'limit')],
    ['calls that took too long', outcome(service, 'timeout')],
  ];
  return (
    <table class="plain">
      <tbody>
        {rows.map(([name, value]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td class={value > 0 ? 'warn' : 'soft'}>{number(value)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
