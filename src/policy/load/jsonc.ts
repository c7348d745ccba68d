import { type Node as JsonNode, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { wordsOfBrokenLine } from './frame.ts';
import { DEEPEST, type Entry, type Node, type Scalar } from './node.ts';
import { refuse } from './problems.ts';
import type { Source } from './source.ts';
import { refuseDeepBrackets, refuseDepth, withinStack } from './too-deep.ts';

const TOKENS = /"[^"\\\n]*(?:\\.[^"\\\n]*)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\/|[[\]{}]/g;

/** JSON with comments and trailing commas. */
export function readJsonc(source: Source): Node {
  withinStack(source, () => refuseDeepBrackets(source, TOKENS));
  const errors: ParseError[] = [];
  const tree = withinStack(source, () => parseTree(source.text, errors, { allowTrailingComma: true }));
  const [first] = errors;
  if (first !== undefined) throw syntaxError(source, first);
  if (tree === undefined) return refuse(source, { start: 0, end: 1 }, 'there is no JSON in this file');
  return convert(source, tree, 0);
}

function convert(source: Source, node: JsonNode, depth: number): Node {
  const place = { start: node.offset, end: node.offset + node.length };
  if (depth > DEEPEST) return refuseDepth(source, place);
  const children = node.children ?? [];
  if (node.type === 'array')
    return { kind: 'list', place, items: children.map((child) => convert(source, child, depth + 1)) };
  if (node.type === 'object')
    return { kind: 'map', place, entries: children.map((child) => entry(source, child, depth + 1)) };
  return { kind: 'scalar', place, value: node.value as Scalar };
}

function entry(source: Source, property: JsonNode, depth: number): Entry {
  const [key, value] = property.children as [JsonNode, JsonNode];
  const keyPlace = { start: key.offset, end: key.offset + key.length };
  return { key: key.value as string, keyPlace, value: convert(source, value, depth) };
}

const EXPECTED: Readonly<Record<string, string>> = {
  CommaExpected: 'a comma is missing before this',
  ColonExpected: 'a colon is missing before this',
  ValueExpected: 'a value is expected here',
  PropertyNameExpected: 'a key in double quotes is expected here',
  CloseBraceExpected: 'a } is missing',
  CloseBracketExpected: 'a ] is missing',
  EndOfFileExpected: 'the file should end here',
  UnexpectedEndOfString: 'this string has no end',
  UnexpectedEndOfComment: 'this comment has no end',
  UnexpectedEndOfNumber: 'this number is cut short',
  InvalidSymbol: 'this is neither a string in double quotes, a number, true, false nor null',
  InvalidEscapeCharacter: 'this string has an escape that JSON does not know',
  InvalidUnicode: 'this string has a \\u escape that is cut short',
  InvalidCharacter: 'this string has a raw control character',
};

function syntaxError(source: Source, { error, offset, length }: ParseError): never {
  const place = { start: offset, end: offset + length };
  const what = EXPECTED[printParseErrorCode(error)] ?? 'the syntax is broken here';
  return refuse(source, place, `not valid JSON: ${what}`, { hide: wordsOfBrokenLine(source, offset) });
}
