/** Where something stands: a range of the text, or for a plain object the way to it. */
export type Place = { readonly start: number; readonly end: number } | { readonly path: string };

export type Scalar = string | number | bigint | boolean | null | Date;

interface ScalarNode {
  readonly kind: 'scalar';
  readonly value: Scalar;
  readonly place: Place;
}

interface ListNode {
  readonly kind: 'list';
  readonly items: readonly Node[];
  readonly place: Place;
}

export interface MapNode {
  readonly kind: 'map';
  readonly entries: readonly Entry[];
  readonly place: Place;
}

/** What every syntax is read into: values that know where they are written. Keys are data, never properties. */
export type Node = ScalarNode | ListNode | MapNode;

export interface Entry {
  readonly key: string;
  readonly keyPlace: Place;
  readonly value: Node;
}

/** Deeper than any profile needs, shallow enough for every stack. */
export const DEEPEST = 64;

export function entryOf(node: Node | undefined, key: string): Entry | undefined {
  return node?.kind === 'map' ? node.entries.find((entry) => entry.key === key) : undefined;
}

export function childOf(node: Node | undefined, key: string): Node | undefined {
  return entryOf(node, key)?.value;
}

export function itemsOf(node: Node | undefined): readonly Node[] {
  return node?.kind === 'list' ? node.items : [];
}

export function textOf(node: Node | undefined): string | undefined {
  return node?.kind === 'scalar' && typeof node.value === 'string' ? node.value : undefined;
}

/** In words for "expected …, not …". */
export function describeNode(node: Node): string {
  if (node.kind !== 'scalar') return node.kind === 'list' ? 'a list' : 'an object';
  if (node.value === null) return 'nothing (null)';
  if (node.value instanceof Date) return 'a date';
  return { string: 'text', number: 'a number', bigint: 'a number', boolean: String(node.value) }[
    scalarType(node.value)
  ];
}

function scalarType(value: string | number | bigint | boolean): 'string' | 'number' | 'bigint' | 'boolean' {
  return typeof value as 'string' | 'number' | 'bigint' | 'boolean';
}
