import type { ParentEnv } from '../../host/parent-env.ts';
import type { Draft } from '../draft.ts';
import type { Fate } from '../fate.ts';
import { entriesAt, type Json } from '../json.ts';

export const FORMATS = [
  'codex',
  'gemini',
  'claude',
  'srt',
  'nono',
  'ixt',
  'ag3ntum',
  'names',
  'devcontainer',
  'compose',
  'env-file',
  'firejail',
] as const;
export type ImportFormat = (typeof FORMATS)[number];

/** One file of another tool, read and taken apart as far as its syntax goes. */
export interface Input {
  readonly path: string;
  readonly text: string;
  /** Undefined where it is none of JSON, TOML and YAML. */
  readonly data: Json | undefined;
  readonly env: ParentEnv;
  readonly home: string | undefined;
  /** The part of a file that has several: a service, a tool, a profile. */
  readonly only: string | undefined;
  /** Another file beside this one, for what builds on it; undefined where there is none. */
  readonly beside: (name: string) => Promise<Json | undefined>;
}

export type Syntax = 'JSON' | 'TOML' | 'YAML' | 'lines';

export interface Importer {
  readonly format: ImportFormat;
  /** What people call it. */
  readonly title: string;
  /** How it is written; `lines` where it is none of the others. */
  readonly syntax: Syntax;
  /** The one key without which there is no policy in a file. */
  readonly needs?: string;
  /** Of lines: whether at least one is of this format. */
  readonly holdsAny?: (input: Pick<Input, 'path' | 'text' | 'data'>) => boolean;
  /** By content; a name of a file only helps where contents look alike. */
  readonly recognises: (input: Pick<Input, 'path' | 'text' | 'data'>) => boolean;
  readonly read: (input: Input, draft: Draft) => Promise<void> | void;
}

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
