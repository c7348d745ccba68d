import type { Draft } from '../draft.ts';
import type { Fate } from '../fate.ts';
import { entriesAt, type Json } from '../json.ts';

/** What becomes of one key of a section. */
export type Handler = (key: string, value: Json, draft: Draft) => void;
export type Handlers = Readonly<Record<string, Handler>>;

/** Every key of a section meets its handler; one that nobody knows is a row that has to be accepted. */
export function readKeys(section: Json | undefined, handlers: Handlers, draft: Draft, prefix = ''): void {
  for (const [name, value] of entriesAt(section)) {
    const key = prefix === '' ? name : `${prefix}.${name}`;
    const handler = Object.hasOwn(handlers, name) ? handlers[name] : undefined;
    if (handler === undefined) draft.unknown(key);
    else handler(key, value, draft);
  }
}

export const asides = (names: readonly string[], note?: string): Handlers =>
  Object.fromEntries(names.map((name) => [name, (key, _, draft) => draft.aside(key, note)]));

export const rows = (names: readonly string[], fate: Fate, note: string): Handlers =>
  Object.fromEntries(names.map((name) => [name, (key, _, draft) => draft.row(key, fate, note)]));

/** A key that was looked at elsewhere. */
export const done = (names: readonly string[]): Handlers =>
  Object.fromEntries(names.map((name) => [name, () => undefined]));
