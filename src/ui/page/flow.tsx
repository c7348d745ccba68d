import { useMemo, useState } from 'preact/hooks';
import { useWidth } from './parts.tsx';
import { count, number } from './words.ts';

/** One variable on its way: from which family of names, for which reason, to where. */
export interface Passage {
  readonly name: string;
  readonly arrives: boolean;
  /** It was not the parent's, the policy adds it. */
  readonly added: boolean;
  readonly reason: string;
  /** It looks like a credential, or could make programs run other code. */
  readonly grave: boolean;
  readonly detail: string;
}

interface FlowNode {
  readonly id: string;
  readonly label: string;
  readonly tone: string;
  readonly names: readonly string[];
  readonly column: 0 | 1 | 2;
  readonly y: number;
  readonly height: number;
}

interface Ribbon {
  readonly key: string;
  readonly from: FlowNode;
  readonly to: FlowNode;
  readonly names: readonly string[];
  readonly y0: number;
  readonly y1: number;
  readonly width: number;
  readonly tone: string;
}

const MOST_FAMILIES = 9;
const MOST_REASONS = 10;
const GAP = 14;
const LEAST = 3;

/**
 * Where the variables of this machine go: families of names on the left, the reason in the middle, and on the right whether they reach the
 * command. Hundreds of them are a few bands; a band or a block that is chosen lists its names.
 */
export function Flow({ passages, title }: { readonly passages: readonly Passage[]; readonly title: string }) {
  const [box, width] = useWidth();
  const [chosen, setChosen] = useState<string | undefined>(undefined);
  const { nodes, ribbons, height } = useMemo(() => layout(passages), [passages]);
  const arrives = passages.filter((one) => one.arrives).length;
  const isChosen = (one: { id?: string; key?: string; names: readonly string[] }) => (one.id ?? one.key) === chosen;
  const listed = [...nodes, ...ribbons].find(isChosen);
  const names = useMemo(() => new Set(listed?.names ?? []), [listed]);
  const shown = listed === undefined ? passages : passages.filter(({ name }) => names.has(name));
  const toggle = (id: string) => setChosen(chosen === id ? undefined : id);
  return (
    <figure class="flow">
      <div ref={box} class="flow-box" style={{ '--height': `${height}px` }}>
        {width >= 560 ? (
          <Bands {...{ nodes, ribbons, width, height, chosen, toggle }} names={names} title={title} />
        ) : (
          <Bars nodes={nodes.filter(({ column }) => column === 1)} total={passages.length} {...{ chosen, toggle }} />
        )}
      </div>
      <figcaption>
        <span>
          {count(passages.length, 'variable')}, {number(arrives)} reach the command
        </span>
        {listed !== undefined && (
          <button type="button" class="quiet" onClick={() => setChosen(undefined)}>
            Show all
          </button>
        )}
      </figcaption>
      <NameList passages={shown} />
    </figure>
  );
}

interface BandsProps {
  readonly nodes: readonly FlowNode[];
  readonly ribbons: readonly Ribbon[];
  readonly width: number;
  readonly height: number;
  readonly chosen: string | undefined;
  readonly toggle: (id: string) => void;
  readonly names: ReadonlySet<string>;
  readonly title: string;
}

const BAR = 10;

function Bands({ nodes, ribbons, width, height, chosen, toggle, names, title }: BandsProps) {
  const left = Math.min(150, width * 0.2);
  const right = Math.min(170, width * 0.22);
  const xs = [left, (width - BAR) * 0.46, width - right - BAR] as const;
  // About seven pixels for a letter, between the block of a label and what comes next to it.
  const letters = [left / 7 - 4, (xs[2] - xs[1]) / 7 - 6, right / 7 - 4].map(Math.floor);
  const isLit = (own: readonly string[]) => chosen === undefined || own.some((name) => names.has(name));
  const labelAt = (node: FlowNode) =>
    node.column === 0
      ? { x: xs[0] - 8, anchor: 'end' as const }
      : { x: xs[node.column] + BAR + 8, anchor: 'start' as const };
  return (
    <svg width={width} height={height} role="group" aria-label={title}>
      {ribbons.map((one) => (
        <path
          key={one.key}
          class={`ribbon ${one.tone} ${isLit(one.names) ? '' : 'dim'}`}
          d={bandPath(xs[one.from.column] + BAR, one.y0, xs[one.to.column], one.y1, one.width)}
          onClick={() => toggle(one.key)}
        >
          <title>{`${one.from.label} → ${one.to.label}: ${count(one.names.length, 'variable')}`}</title>
        </path>
      ))}
      {nodes.map((node) => {
        const { x, anchor } = labelAt(node);
        return (
          <g
            key={node.id}
            class={`node ${node.tone} ${isLit(node.names) ? '' : 'dim'}`}
            role="button"
            tabindex={0}
            aria-pressed={chosen === node.id}
            onClick={() => toggle(node.id)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' && event.key !== ' ') return;
              event.preventDefault();
              toggle(node.id);
            }}
          >
            <title>{`${node.label} ${number(node.names.length)}`}</title>
            <rect
              class="hit"
              x={Math.min(x, xs[node.column]) - (anchor === 'end' ? left : 0)}
              y={node.y - 3}
              width={left + 30}
              height={Math.max(18, node.height + 6)}
            />
            <rect class="block" x={xs[node.column]} y={node.y} width={BAR} height={node.height} rx="2" />
            <text class="halo" x={x} y={node.y + node.height / 2} text-anchor={anchor} dominant-baseline="central">
              {clip(node.label, letters[node.column] ?? 20)}
              <tspan class="amount"> {number(node.names.length)}</tspan>
            </text>
          </g>
        );
      })}
    </svg>
  );
}

const clip = (text: string, most: number) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

function bandPath(x0: number, y0: number, x1: number, y1: number, width: number): string {
  const middle = (x0 + x1) / 2;
  return `M${x0},${y0}C${middle},${y0} ${middle},${y1} ${x1},${y1}V${y1 + width}C${middle},${y1 + width} ${middle},${y0 + width} ${x0},${y0 + width}Z`;
}

/** On a phone: the reasons alone, each as long as what it is the reason for. */
function Bars(props: {
  readonly nodes: readonly FlowNode[];
  readonly total: number;
  readonly chosen: string | undefined;
  readonly toggle: (id: string) => void;
}) {
  const most = Math.max(1, ...props.nodes.map(({ names }) => names.length));
  return (
    <ul class="bars">
      {props.nodes.map((node) => (
        <li key={node.id}>
          <button
            type="button"
            class={`bar-line ${node.tone}`}
            aria-pressed={props.chosen === node.id}
            onClick={() => props.toggle(node.id)}
          >
            <span>{node.label}</span>
            <b>{number(node.names.length)}</b>
            <svg aria-hidden="true" width="100%" height="6">
              <rect width={`${(100 * node.names.length) / most}%`} height="6" rx="3" />
            </svg>
          </button>
        </li>
      ))}
    </ul>
  );
}

const MOST_LISTED = 400;

function NameList({ passages }: { readonly passages: readonly Passage[] }) {
  const groups = useMemo(() => byReason(passages), [passages]);
  return (
    <div class="names">
      {groups.map((group) => {
        const [first] = group;
        if (first === undefined) return null;
        return (
          <section key={first.reason + String(first.arrives)} class={toneOf(first)}>
            <h4>
              <span class="mark" aria-hidden="true" />
              {first.reason} <small>{number(group.length)}</small>
            </h4>
            <ul>
              {group.slice(0, MOST_LISTED).map(({ name, detail }) => (
                <li key={name} title={detail}>
                  <code>{name}</code>
                </li>
              ))}
              {group.length > MOST_LISTED && <li>and {number(group.length - MOST_LISTED)} more</li>}
            </ul>
          </section>
        );
      })}
    </div>
  );
}

/** What arrives before what stays behind, the larger before the smaller. */
function byReason(passages: readonly Passage[]): Passage[][] {
  const groups = [...groupedBy(passages, ({ reason, arrives }) => `${arrives} ${reason}`).values()];
  const arriving = (group: readonly Passage[]) => Number(group[0]?.arrives ?? false);
  return groups.toSorted((a, b) => arriving(b) - arriving(a) || b.length - a.length);
}

function groupedBy<T>(items: readonly T[], key: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(key(item)) ?? [];
    group.push(item);
    groups.set(key(item), group);
  }
  return groups;
}

const toneOf = ({ arrives, added, grave }: Passage) => {
  if (added) return 'new';
  if (arrives) return 'yes';
  return grave ? 'bad' : 'no';
};

/** Sizes by the number of names, in the order in which bands cross least: what arrives above, what stays behind below. */
function layout(passages: readonly Passage[]): { nodes: FlowNode[]; ribbons: Ribbon[]; height: number } {
  const families = familiesOf(passages);
  const reasons = reasonsOf(passages);
  const height = Math.max(140, Math.min(400, 60 + 34 * Math.max(new Set(families.values()).size, reasons.size)));
  const columns = [
    group(passages, (one) => (one.added ? 'the policy' : (families.get(one.name) ?? 'other names')), 0, height),
    group(passages, (one) => reasons.get(one.reason) ?? 'other reasons', 1, height),
    group(passages, (one) => (one.arrives ? 'reach the command' : 'stay behind'), 2, height),
  ];
  const nodes = columns.flat();
  const of = (column: number, name: string) => columns[column]?.find(({ names }) => names.includes(name)) as FlowNode;
  const ribbons = [
    ...bands(passages, (name) => [of(0, name), of(1, name)]),
    ...bands(passages, (name) => [of(1, name), of(2, name)]),
  ];
  return { nodes, ribbons, height };
}

function familiesOf(passages: readonly Passage[]): Map<string, string> {
  const prefix = (name: string) => /^[A-Za-z]+(?=_)/.exec(name)?.[0];
  const groups = groupedBy(
    passages.filter(({ added }) => !added),
    ({ name }) => prefix(name) ?? '',
  );
  const large = [...groups].filter(([key, group]) => key !== '' && group.length >= 3);
  const kept = large.toSorted((a, b) => b[1].length - a[1].length).slice(0, MOST_FAMILIES);
  return new Map(kept.flatMap(([key, group]) => group.map(({ name }) => [name, `${key}_…`] as const)));
}

function reasonsOf(passages: readonly Passage[]): Map<string, string> {
  const groups = [...groupedBy(passages, ({ reason }) => reason)].toSorted((a, b) => b[1].length - a[1].length);
  return new Map(groups.slice(0, MOST_REASONS).map(([reason]) => [reason, reason]));
}

function group(
  passages: readonly Passage[],
  key: (one: Passage) => string,
  column: 0 | 1 | 2,
  height: number,
): FlowNode[] {
  const rank = (members: readonly Passage[]) => members.filter(({ arrives }) => arrives).length / members.length;
  const groups = [...groupedBy(passages, key)].toSorted((a, b) => rank(b[1]) - rank(a[1]) || b[1].length - a[1].length);
  const room = height - 20 - GAP * (groups.length - 1) - LEAST * groups.length;
  let y = 10;
  return groups.map(([label, members]) => {
    const size = LEAST + (room * members.length) / Math.max(1, passages.length);
    const tones = new Set(members.map(toneOf));
    const node: FlowNode = {
      id: `${column}:${label}`,
      label,
      tone: tones.size === 1 ? ([...tones][0] ?? '') : '',
      names: members.map(({ name }) => name),
      column,
      y,
      height: size,
    };
    y += size + GAP;
    return node;
  });
}

function bands(passages: readonly Passage[], ends: (name: string) => readonly [FlowNode, FlowNode]): Ribbon[] {
  const groups = groupedBy(passages, ({ name }) =>
    ends(name)
      .map(({ id }) => id)
      .join('>'),
  );
  const found = [...groups].map(([key, members]) => ({ key, members, ends: ends(members[0]?.name ?? '') }));
  const [leaving, coming] = [new Map<string, number>(), new Map<string, number>()];
  const ordered = found.toSorted((a, b) => a.ends[0].y - b.ends[0].y || a.ends[1].y - b.ends[1].y);
  return ordered.map(({ key, members, ends: [from, to] }) => {
    const take = (used: Map<string, number>, node: FlowNode) => {
      const start = used.get(node.id) ?? node.y;
      const width = (node.height * members.length) / node.names.length;
      used.set(node.id, start + width);
      return { start, width };
    };
    const [a, b] = [take(leaving, from), take(coming, to)];
    const tones = new Set(members.map(toneOf));
    return {
      key,
      from,
      to,
      names: members.map(({ name }) => name),
      y0: a.start,
      y1: b.start,
      width: Math.max(1, Math.min(a.width, b.width)),
      tone: tones.size === 1 ? ([...tones][0] ?? '') : '',
    };
  });
}
