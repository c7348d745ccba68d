import { type AST, ParseError, parseTOML } from 'toml-eslint-parser';
import { Source } from '../../policy/load/source.ts';
import { readToml } from '../../policy/load/toml.ts';

/** A way into the file: `tools`, `ruff`, `env_allow`. */
export type KeyPath = readonly string[];

export interface Pair {
  readonly path: KeyPath;
  readonly node: AST.TOMLKeyValue;
}

export interface TomlHeader {
  readonly path: KeyPath;
  readonly node: AST.TOMLTable;
}

/** A TOML text with the places of all that is written in it. */
export interface Document {
  readonly text: string;
  /** Every `key = value`, those in inline tables included. */
  readonly pairs: readonly Pair[];
  readonly headers: readonly TomlHeader[];
  readonly comments: readonly AST.Comment[];
  readonly commas: readonly number[];
  readonly newline: string;
}

/** Broken TOML is refused by the reader of policies, which says where and what. */
export function parseDocument(text: string, name: string): Document {
  const program = parse(text, name);
  const pairs: Pair[] = [];
  const headers: TomlHeader[] = [];
  for (const item of program.body[0].body) {
    if (item.type === 'TOMLKeyValue') collect(item, [], pairs);
    else {
      const path = item.resolvedKey.map(String);
      headers.push({ path, node: item });
      for (const pair of item.body) collect(pair, path, pairs);
    }
  }
  return {
    text,
    pairs,
    headers,
    comments: program.comments,
    commas: program.tokens
      .filter(({ type, value }) => type === 'Punctuator' && value === ',')
      .map(({ range }) => range[0]),
    newline: text.includes('\r\n') ? '\r\n' : '\n',
  };
}

function parse(text: string, name: string): AST.TOMLProgram {
  try {
    return parseTOML(text, { tomlVersion: '1.0' });
  } catch (error) {
    if (error instanceof ParseError) readToml(new Source(name, text));
    throw error;
  }
}

function collect(node: AST.TOMLKeyValue, above: KeyPath, into: Pair[]): void {
  const path = [...above, ...node.key.keys.map((key) => (key.type === 'TOMLBare' ? key.name : key.value))];
  into.push({ path, node });
  if (node.value.type === 'TOMLInlineTable') for (const inner of node.value.body) collect(inner, path, into);
}

export function isPrefix(prefix: KeyPath, path: KeyPath): boolean {
  return prefix.length <= path.length && prefix.every((key, i) => key === path[i]);
}

export function pairAt({ pairs }: Document, path: KeyPath): Pair | undefined {
  return pairs.find((pair) => pair.path.length === path.length && isPrefix(path, pair.path));
}
