import type { AST } from 'toml-eslint-parser';
import { type Document, isPrefix, type KeyPath } from './document.ts';

/** What a file says, without how: every value by its way, so that two texts can be compared. Empty tables count too. */
export type Meaning = ReadonlyMap<string, string>;

const TABLE = 'table';

export function meaningOf({ pairs, headers }: Document): Meaning {
  const meaning = new Map<string, string>();
  for (const { path } of headers) for (let i = 1; i <= path.length; i++) meaning.set(wayOf(path.slice(0, i)), TABLE);
  for (const { path, node } of pairs) {
    for (let i = 1; i < path.length; i++) meaning.set(wayOf(path.slice(0, i)), TABLE);
    meaning.set(wayOf(path), meaningOfValue(node.value));
  }
  return meaning;
}

const wayOf = (path: KeyPath) => JSON.stringify(path);

function meaningOfValue(node: AST.TOMLContentNode): string {
  if (node.type === 'TOMLInlineTable') return TABLE;
  if (node.type === 'TOMLArray') return JSON.stringify(node.elements.map(meaningOfValue));
  return node.kind === 'string' ? meaningOfText(node.value) : `${node.kind} ${String(node.value)}`;
}

export const meaningOfText = (text: string) => `string ${text}`;
export const meaningOfPlain = (plain: number | boolean) =>
  `${typeof plain === 'number' ? 'integer' : 'boolean'} ${plain}`;
export const meaningOfList = (texts: readonly string[]) => JSON.stringify(texts.map(meaningOfText));

export function withMeaning(meaning: Meaning, path: KeyPath, value: string): Meaning {
  const next = new Map(meaning);
  for (let i = 1; i < path.length; i++) next.set(wayOf(path.slice(0, i)), TABLE);
  return next.set(wayOf(path), value);
}

export function withoutMeaning(meaning: Meaning, path: KeyPath): Meaning {
  return new Map([...meaning].filter(([way]) => !isPrefix(path, JSON.parse(way) as string[])));
}

/** On the way to `path` and below it a table that nothing is left in may be there or not; elsewhere nothing may differ. */
export function isSameMeaning(one: Meaning, other: Meaning, path: KeyPath): boolean {
  const touched = (way: string) => isRelated(path, JSON.parse(way) as string[]);
  const settled = (meaning: Meaning) => [...meaning].filter(([way, value]) => value !== TABLE || !touched(way));
  const [left, right] = [settled(one), new Map(settled(other))];
  return left.length === right.size && left.every(([way, value]) => right.get(way) === value);
}

const isRelated = (one: KeyPath, other: KeyPath) => isPrefix(one, other) || isPrefix(other, one);
