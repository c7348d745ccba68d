import { useMemo } from 'preact/hooks';
import type { LaunchDetails } from '../api.ts';
import { Flow, type Passage } from './flow.tsx';
import { ExitMark } from './launches.tsx';
import { AsideLine, Chip, Empty, Trouble, useLoaded } from './parts.tsx';
import type { PageSource } from './source.ts';
import { bytes, count, isGrave, programOf, reasonOf, span, wholeTime } from './words.ts';

/** One launch as a page of its own. */
export function LaunchView({ source, id }: { readonly source: PageSource; readonly id: string }) {
  const { data, problem } = useLoaded(() => source.launch(id), [source, id]);
  return (
    <>
      <p class="back">
        <a href="#/launches">← Launches</a>
      </p>
      {problem !== undefined && <Trouble problem={problem} />}
      {data !== undefined && <Details details={data} />}
    </>
  );
}

function Details({ details }: { readonly details: LaunchDetails }) {
  const { row, asked, preset, network } = details;
  const { name, folder } = programOf(row.command);
  const passages = useMemo(() => passagesOf(details), [details]);
  return (
    <>
      <header class="title">
        <h1>
          {name} <ExitMark row={row} />
        </h1>
        <p class="soft">
          <code>{folder === '' ? row.command : `${folder}/`}</code>
          {row.arguments !== null && ` with ${count(row.arguments, 'argument')}`}
        </p>
      </header>
      <dl class="facts card">
        <Fact name="Started">{wholeTime(row.time)}</Fact>
        <Fact name="Took">{span(row.durationMs)}</Fact>
        <Fact name="Exit">{row.exit === null ? 'was not started' : String(row.exit)}</Fact>
        <Fact name="Folder">{row.folder ?? 'not recorded'}</Fact>
        <Fact name="Policy">
          <PolicyLink policy={row.policy} />
        </Fact>
        <Fact name="Isolation">
          {row.isolation}
          {asked !== '' && asked !== row.isolation && <span class="soft"> (asked: {asked})</span>}
        </Fact>
        {preset !== '' && <Fact name="Files">{preset}</Fact>}
        {network !== '' && <Fact name="Network">{network}</Fact>}
        <Fact name="Id">
          <code>{row.id}</code>
        </Fact>
      </dl>
      {details.credentials.length > 0 && (
        <section class="card">
          <h2>Credentials it was given</h2>
          <p class="chips">
            {details.credentials.map((one) => (
              <Chip key={one} tone="new">
                {details.brokered.includes(one) ? `${one} (as a placeholder)` : one}
              </Chip>
            ))}
          </p>
        </section>
      )}
      <section class="card">
        <h2>Variables</h2>
        <Flow passages={passages} title="What passed to the command, and what stayed behind" />
      </section>
      <section class="card">
        <h2>Hosts</h2>
        {details.hosts.length === 0 ? (
          <Empty title="None recorded">Names are recorded when the network goes by name.</Empty>
        ) : (
          <div class="scroll" role="region" aria-label="Hosts" tabIndex={0}>
            <table>
              <thead>
                <tr>
                  <th scope="col">Host</th>
                  <th scope="col">Outcome</th>
                  <th scope="col">Why</th>
                  <th scope="col">Times</th>
                  <th scope="col">Sent</th>
                  <th scope="col">Received</th>
                </tr>
              </thead>
              <tbody>
                {details.hosts.map((host) => (
                  <tr key={`${host.name} ${host.outcome}`}>
                    <th scope="row">
                      <code>{host.name}</code>
                    </th>
                    <td>
                      <Chip tone={host.outcome === 'reached' ? 'yes' : 'bad'}>{host.outcome}</Chip>
                    </td>
                    <td class="soft">{host.reason}</td>
                    <td>{host.count}</td>
                    <td class="soft">{host.sent === 0 ? '–' : bytes(host.sent)}</td>
                    <td class="soft">{host.received === 0 ? '–' : bytes(host.received)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </section>
      <section class="card">
        <h2>Files put aside</h2>
        {details.aside.length === 0 ? (
          <Empty title="None waits" />
        ) : (
          <ul class="files">
            {details.aside.map((file) => (
              <AsideLine key={file.path} file={file} />
            ))}
          </ul>
        )}
      </section>
    </>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: preact.ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** `profile web`, `agent claude, role x`, `tool ruff`, `defaults`. */
function PolicyLink({ policy }: { readonly policy: string }) {
  const [, kind, name] = /^(profile|agent|tool) ([^,]+)/.exec(policy) ?? [];
  if (kind === undefined || name === undefined) return <span>{policy}</span>;
  return <a href={`#/policies/${kind}/${encodeURIComponent(name)}`}>{policy}</a>;
}

function passagesOf({ passed, set, credentials, dropped }: LaunchDetails): Passage[] {
  const one = (verdict: string, arrives: boolean, added: boolean) => (name: string) => ({
    ...{ name, arrives, added },
    reason: reasonOf(verdict, ''),
    grave: false,
    detail: '',
  });
  return [
    ...credentials.map(one('credential', true, true)),
    ...set.map(one('set', true, true)),
    ...passed.map(one('pass', true, false)),
    ...dropped.map(({ name, rule }) => ({
      ...{ name, arrives: false, added: false },
      reason: reasonOf('drop', rule),
      grave: isGrave(rule),
      detail: `rule: ${rule}`,
    })),
  ];
}
