import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { AsideFile } from '../api.ts';
import { Problem } from './source.ts';

export type LoadedData<T> = { readonly data?: T; readonly problem?: Problem };

/** What a view asked for; a newer request wins over an older one that comes later. */
export function useLoaded<T>(load: () => Promise<T>, keys: readonly unknown[], everyMs?: number): LoadedData<T> {
  const [loaded, setLoaded] = useState<LoadedData<T>>({});
  useEffect(() => {
    let isCurrent = true;
    const again = () =>
      load().then(
        (data) => isCurrent && setLoaded({ data }),
        (error) => isCurrent && setLoaded((before) => ({ ...before, problem: problemOf(error) })),
      );
    again();
    const timer =
      everyMs === undefined ? undefined : setInterval(() => document.visibilityState === 'visible' && again(), everyMs);
    return () => {
      isCurrent = false;
      clearInterval(timer);
    };
  }, keys);
  return loaded;
}

export const problemOf = (error: unknown) =>
  error instanceof Problem ? error : new Problem(error instanceof Error ? error.message : 'something went wrong');

export function Trouble({ problem }: { readonly problem: Problem }) {
  return (
    <div class="trouble" role="alert">
      <strong>{problem.message}</strong>
      {problem.hint !== '' && <p>{problem.hint}</p>}
      {problem.over && (
        <p>
          Where <code>cordon ui</code> runs, press Enter for a new link; if it has ended, start it again.
        </p>
      )}
    </div>
  );
}

export function Empty({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) {
  return (
    <div class="empty">
      <strong>{title}</strong>
      {children !== undefined && <p>{children}</p>}
    </div>
  );
}

export function Tile(props: {
  readonly label: string;
  readonly value: string;
  readonly note?: string;
  readonly tone?: string;
}) {
  return (
    <div class={`tile ${props.tone ?? ''}`}>
      <dt>{props.label}</dt>
      <dd>
        {props.value}
        <small>{props.note ?? ''}</small>
      </dd>
    </div>
  );
}

/** How much of a whole, in colours that the numbers beside it repeat. */
export function Share({ passed, dropped, added = 0 }: { passed: number; dropped: number; added?: number }) {
  const total = Math.max(1, passed + dropped + added);
  const part = (value: number) => `${(100 * value) / total}%`;
  return (
    <svg class="share" aria-hidden="true" width="100%" height="6">
      <rect class="no" width="100%" height="6" rx="3" />
      <rect class="yes" width={part(passed + added)} height="6" rx="3" />
      {added > 0 && <rect class="new" width={part(added)} height="6" rx="3" />}
    </svg>
  );
}

export function Chip({ tone = '', children }: { readonly tone?: string; readonly children: ComponentChildren }) {
  return <span class={`chip ${tone}`}>{children}</span>;
}

/** A file that was put aside; what would run later is said. */
export function AsideLine({ file }: { readonly file: AsideFile }) {
  return (
    <li>
      <Chip>{file.kind}</Chip> <code>{file.path}</code>
      {file.runs !== null && (
        <>
          {' '}
          <Chip tone="warn">{file.runs}</Chip>
        </>
      )}
    </li>
  );
}

/** The width there is for it; plots are drawn anew when it changes. */
export function useWidth(): readonly [{ current: HTMLDivElement | null }, number] {
  const box = useRef<HTMLDivElement | null>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    if (box.current === null) return;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)));
    observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  return [box, width];
}

interface VirtualListProps<T> {
  readonly label: string;
  readonly rows: readonly T[];
  readonly rowHeight: number;
  readonly heading: ComponentChildren;
  readonly keyOf: (row: T) => string;
  readonly render: (row: T) => ComponentChildren;
  readonly onOpen: (row: T) => void;
}

const AROUND = 8;

/** Only the rows in sight are in the page, however many there are. Arrow keys, Page Up and Down, Home and End move; Enter opens. */
export function VirtualList<T>({ label, rows, rowHeight, heading, keyOf, render, onOpen }: VirtualListProps<T>) {
  const box = useRef<HTMLDivElement | null>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(800);
  const [current, setCurrent] = useState(0);
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => setHeight(element.clientHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const at = Math.min(current, Math.max(0, rows.length - 1));
  const first = Math.max(0, Math.floor(top / rowHeight) - AROUND);
  const last = Math.min(rows.length, Math.ceil((top + height) / rowHeight) + AROUND);
  const move = (to: number) => {
    const next = Math.max(0, Math.min(rows.length - 1, to));
    setCurrent(next);
    const element = box.current;
    if (element === null) return;
    const y = next * rowHeight;
    if (y < element.scrollTop) element.scrollTop = y;
    else if (y + 2 * rowHeight > element.scrollTop + element.clientHeight)
      element.scrollTop = y + 2 * rowHeight - element.clientHeight;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const page = Math.max(1, Math.floor(height / rowHeight) - 2);
    const steps: Record<string, number> = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      PageDown: at + page,
      PageUp: at - page,
      Home: 0,
      End: rows.length - 1,
    };
    const to = steps[event.key];
    const row = rows[at];
    if (to !== undefined) move(to);
    else if (event.key === 'Enter' && row !== undefined) onOpen(row);
    else return;
    event.preventDefault();
  };
  const active = rows[at];
  return (
    <div
      class="list"
      role="grid"
      aria-label={label}
      aria-rowcount={rows.length + 1}
      aria-activedescendant={active === undefined ? undefined : `row-${at}`}
      tabIndex={0}
      ref={box}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
      onKeyDown={onKeyDown}
    >
      {heading}
      <div class="rows" role="rowgroup" style={{ height: `${rows.length * rowHeight}px` }}>
        {rows.slice(first, last).map((row, i) => (
          <div
            key={keyOf(row)}
            id={`row-${first + i}`}
            class="row"
            role="row"
            aria-rowindex={first + i + 2}
            aria-selected={first + i === at}
            style={{ transform: `translateY(${(first + i) * rowHeight}px)`, height: `${rowHeight}px` }}
            onClick={() => onOpen(row)}
          >
            {render(row)}
          </div>
        ))}
      </div>
    </div>
  );
}
