import { stringify } from 'yaml';
import type { Node } from '../policy/load/node.ts';

/** Data of a file that somebody else's tool reads: looked at key by key, whatever it is. */
export type Json = string | number | bigint | boolean | null | readonly Json[] | JsonMap;
export interface JsonMap {
  readonly [key: string]: Json;
}

/** Objects without a prototype, so that no key of a file means anything to JavaScript. */
export function jsonOf(node: Node): Json {
  if (node.kind === 'list') return node.items.map(jsonOf);
  if (node.kind === 'scalar') return node.value instanceof Date ? node.value.toISOString() : node.value;
  const map: Record<string, Json> = Object.create(null);
  for (const { key, value } of node.entries) map[key] = jsonOf(value);
  return map;
}

export function mapAt(json: Json | undefined): JsonMap | undefined {
  return typeof json === 'object' && json !== null && !Array.isArray(json) ? (json as JsonMap) : undefined;
}

export const entriesAt = (json: Json | undefined): [string, Json][] => Object.entries(mapAt(json) ?? {});

export const listAt = (json: Json | undefined): readonly Json[] => (Array.isArray(json) ? json : []);

export const textsAt = (json: Json | undefined): readonly string[] =>
  listAt(json).filter((item): item is string => typeof item === 'string');

/** One text stands for a list of one. */
export const textOrTexts = (json: Json | undefined): readonly string[] =>
  typeof json === 'string' ? [json] : textsAt(json);

/** The value behind a way of keys, `a.b.c`. */
export function at(json: Json | undefined, way: string): Json | undefined {
  return way.split('.').reduce<Json | undefined>((inner, key) => mapAt(inner)?.[key], json);
}

/** All ways to values that are no maps, for going through everything that a file says. */
export function leavesOf(json: Json, way = ''): string[] {
  const map = mapAt(json);
  if (map === undefined || Object.keys(map).length === 0) return way === '' ? [] : [way];
  return Object.entries(map).flatMap(([key, value]) => leavesOf(value, way === '' ? key : `${way}.${key}`));
}

/** kubectl and compose read YAML 1.1, in which a plain `off` is false and `12:30` a number: no value stands without quotes. */
const WRITING = {
  version: '1.1',
  defaultStringType: 'QUOTE_DOUBLE',
  defaultKeyType: 'PLAIN',
  lineWidth: 0,
  aliasDuplicateObjects: false,
} as const;

export const yamlText = (value: object): string => stringify(value, WRITING);
