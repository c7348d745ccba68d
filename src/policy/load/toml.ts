import { type AST, ParseError, parseTOML } from 'toml-eslint-parser';
import { withoutQuotes, wordsOfBrokenLine } from './frame.ts';
import { DEEPEST, type MapNode, type Node, type Place } from './node.ts';
import { refuse } from './problems.ts';
import type { Source } from './source.ts';
import { refuseDeepBrackets, refuseDepth, withinStack } from './too-deep.ts';

type Key = AST.TOMLBare | AST.TOMLQuoted;

interface OpenMap {
  readonly kind: 'map';
  readonly place: Place;
  readonly entries: { readonly key: string; readonly keyPlace: Place; readonly value: Open }[];
  /** A file of many small tables must not be searched from the start for each. */
  readonly byKey: Map<string, Open>;
}

interface OpenList {
  readonly kind: 'list';
  readonly place: Place;
  readonly items: Open[];
}

type Open = OpenMap | OpenList | Extract<Node, { kind: 'scalar' }>;

const TOKENS =
  /"""[^"\\]*(?:(?:\\[\s\S]|"(?!""))[^"\\]*)*"""|'''[\s\S]*?'''|"[^"\\\n]*(?:\\.[^"\\\n]*)*"|'[^'\n]*'|#[^\n]*|[[\]{}]/g;

/** Tables may be written in pieces all over the file, so the tree is filled key by key. The parser has refused duplicates. */
export function readToml(source: Source): MapNode {
  withinStack(source, () => refuseDeepBrackets(source, TOKENS));
  const program = withinStack(source, () => parse(source));
  const root = openMap({ start: 0, end: 1 });
  for (const item of program.body[0].body) {
    if (item.type === 'TOMLKeyValue') addPair(source, root, item);
    else addTable(source, root, item);
  }
  if (root.entries.length === 0) return refuse(source, root.place, 'there is nothing but comments in this file');
  return root;
}

function parse(source: Source): AST.TOMLProgram {
  try {
    return parseTOML(source.text, { tomlVersion: '1.0' });
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    const place = { start: error.index, end: error.index + 1 };
    return refuse(source, place, `not valid TOML: ${withoutQuotes(error.message)}`, {
      hide: wordsOfBrokenLine(source, error.index),
    });
  }
}

function addTable(source: Source, root: OpenMap, table: AST.TOMLTable): void {
  const { keys } = table.key;
  const parent = descend(source, root, keys.slice(0, -1));
  const last = keys.at(-1) as Key;
  const target = table.kind === 'array' ? appendTable(parent, last) : descend(source, parent, [last]);
  for (const pair of table.body) addPair(source, target, pair);
}

function appendTable(parent: OpenMap, key: Key): OpenMap {
  const fresh = openMap(placeOf(key));
  const list = valueAt(parent, key);
  if (list?.kind === 'list') list.items.push(fresh);
  else add(parent, key, { kind: 'list', place: placeOf(key), items: [fresh] });
  return fresh;
}

function addPair(source: Source, table: OpenMap, { key, value }: AST.TOMLKeyValue, depth = 0): void {
  const parent = descend(source, table, key.keys.slice(0, -1));
  add(parent, key.keys.at(-1) as Key, convert(source, value, depth + key.keys.length));
}

/** Into the table of that name, made when it is first mentioned; of an array of tables the newest is meant. */
function descend(source: Source, from: OpenMap, keys: readonly Key[]): OpenMap {
  let at = from;
  if (keys.length > DEEPEST) return refuseDepth(source, placeOf(keys[DEEPEST] as Key));
  for (const key of keys) {
    const found = valueAt(at, key);
    const next = found?.kind === 'list' ? found.items.at(-1) : found;
    at = next?.kind === 'map' ? next : add(at, key, openMap(placeOf(key)));
  }
  return at;
}

function convert(source: Source, node: AST.TOMLContentNode, depth: number): Open {
  const place = placeOf(node);
  if (depth > DEEPEST) return refuseDepth(source, place);
  if (node.type === 'TOMLValue') return { kind: 'scalar', place, value: node.value };
  if (node.type === 'TOMLArray')
    return { kind: 'list', place, items: node.elements.map((item) => convert(source, item, depth + 1)) };
  const map = openMap(place);
  for (const pair of node.body) addPair(source, map, pair, depth + 1);
  return map;
}

function add<T extends Open>(map: OpenMap, key: Key, value: T): T {
  map.byKey.set(nameOf(key), value);
  map.entries.push({ key: nameOf(key), keyPlace: placeOf(key), value });
  return value;
}

const valueAt = (map: OpenMap, key: Key) => map.byKey.get(nameOf(key));
const openMap = (place: Place): OpenMap => ({ kind: 'map', place, entries: [], byKey: new Map() });
const nameOf = (key: Key) => (key.type === 'TOMLBare' ? key.name : key.value);
const placeOf = ({ range }: { range: AST.Range }): Place => ({ start: range[0], end: range[1] });
