import type { AST } from 'toml-eslint-parser';
import { type Document, isPrefix, type KeyPath, type Pair } from './document.ts';
import { keyLiteral, textLiteral } from './literal.ts';
import { indentAt, lineEnd, removal, type Splice, spliced } from './splice.ts';

/** A list on several lines gets one more line for each, a list on one line grows there. */
export function withItems(doc: Document, list: AST.TOMLArray, texts: readonly string[]): string {
  const last = list.elements.at(-1);
  const literals = texts.map(textLiteral);
  if (last === undefined) return spliced(doc.text, [intoEmpty(doc, list, literals)]);
  const comma = commaAfter(doc, list, list.elements.length - 1);
  const behind = comma === undefined ? last.range[1] : comma + 1;
  const end = lineEnd(doc.text, behind);
  if (end >= list.range[1]) return spliced(doc.text, [onTheLine(behind, comma !== undefined, literals)]);
  const indent = doc.newline + indentAt(doc.text, last.range[0]);
  const lines = comma === undefined ? literals.join(`,${indent}`) : `${literals.join(`,${indent}`)},`;
  return spliced(doc.text, [
    ...(comma === undefined ? [{ start: behind, end: behind, text: end === behind ? '' : ',' }] : []),
    { start: end, end, text: (comma === undefined && end === behind ? ',' : '') + indent + lines },
  ]);
}

function onTheLine(at: number, hasComma: boolean, literals: readonly string[]): Splice {
  return { start: at, end: at, text: `${hasComma ? '' : ','} ${literals.join(', ')}${hasComma ? ',' : ''}` };
}

function intoEmpty(doc: Document, list: AST.TOMLArray, literals: readonly string[]): Splice {
  const [start, end] = list.range;
  const holdsComment = doc.comments.some(({ range }) => range[0] > start && range[1] < end);
  if (!holdsComment) return { start, end, text: `[${literals.join(', ')}]` };
  return { start: start + 1, end: start + 1, text: literals.join(', ') };
}

export function withoutItem(doc: Document, list: AST.TOMLArray, index: number): string {
  const item = list.elements[index] as AST.TOMLContentNode;
  const comma = commaAfter(doc, list, index);
  if (comma !== undefined) return spliced(doc.text, [removal(doc, { start: item.range[0], end: comma + 1 })]);
  const before = index === 0 ? undefined : commaAfter(doc, list, index - 1);
  return spliced(doc.text, [
    ...(before === undefined ? [] : [{ start: before, end: before + 1, text: '' }]),
    removal(doc, { start: item.range[0], end: item.range[1] }),
  ]);
}

function commaAfter(doc: Document, list: AST.TOMLArray, index: number): number | undefined {
  const from = list.elements[index]?.range[1] ?? list.range[0];
  const to = list.elements[index + 1]?.range[0] ?? list.range[1];
  return doc.commas.find((at) => at >= from && at < to);
}

/** The texts that come of adding `path = literal`, the most natural place first. Which of them are valid, only parsing tells. */
export function insertions(doc: Document, path: KeyPath, literal: string): string[] {
  const inline = doc.pairs.filter((pair) => isInline(pair) && isAbove(pair.path, path)).at(-1);
  if (inline !== undefined) return [spliced(doc.text, [intoInlineTable(inline, path, literal)])];
  return [...intoTables(doc, path, literal), ...besideRelatives(doc, path, literal), ownSection(doc, path, literal)];
}

/** An empty table of its own at the end of the file. */
export function appendedHeader(doc: Document, path: KeyPath, ...lines: readonly string[]): string {
  const { text, newline } = doc;
  const ended = text === '' || text.endsWith('\n') ? text : text + newline;
  const gap = ended.trim() === '' || /\n\r?\n$/.test(ended) ? '' : newline;
  return `${ended}${gap}${[`[${keyLiteral(path)}]`, ...lines, ''].join(newline)}`;
}

const isAbove = (above: KeyPath, path: KeyPath) => above.length < path.length && isPrefix(above, path);
const isInline = ({ node }: Pair) => node.value.type === 'TOMLInlineTable';

function intoInlineTable({ path: above, node }: Pair, path: KeyPath, literal: string): Splice {
  const table = node.value as AST.TOMLInlineTable;
  const fresh = `${keyLiteral(path.slice(above.length))} = ${literal}`;
  const last = table.body.at(-1)?.range[1];
  if (last !== undefined) return { start: last, end: last, text: `, ${fresh}` };
  return { start: table.range[0], end: table.range[1], text: `{ ${fresh} }` };
}

/** A table of the file takes keys that lie directly in it; a new subtable is better written as a section. */
function intoTables(doc: Document, path: KeyPath, literal: string): string[] {
  return doc.headers
    .filter(
      ({ path: above, node }) => node.kind === 'standard' && isAbove(above, path) && above.length === path.length - 1,
    )
    .map(({ path: above, node }) =>
      afterLine(doc, node.body.at(-1) ?? node.key, `${keyLiteral(path.slice(above.length))} = ${literal}`),
    );
}

/** Keys written with dots stay together. */
function besideRelatives(doc: Document, path: KeyPath, literal: string): string[] {
  const table = path.slice(0, -1);
  return doc.pairs
    .filter((pair) => isAbove(table, pair.path) && pair.node.parent.type !== 'TOMLInlineTable')
    .toReversed()
    .map((pair) => ({ node: pair.node, above: pair.path.slice(0, pair.path.length - pair.node.key.keys.length) }))
    .filter(({ above }) => isPrefix(above, table))
    .map(({ node, above }) => afterLine(doc, node, `${keyLiteral(path.slice(above.length))} = ${literal}`));
}

function ownSection(doc: Document, path: KeyPath, literal: string): string {
  return appendedHeader(doc, path.slice(0, -1), `${keyLiteral(path.slice(-1))} = ${literal}`);
}

function afterLine(doc: Document, node: AST.TOMLNode, fresh: string): string {
  const at = lineEnd(doc.text, node.range[1]);
  return spliced(doc.text, [{ start: at, end: at, text: doc.newline + indentAt(doc.text, node.range[0]) + fresh }]);
}

/** The text without one of the things at or below a path, and undefined when there is none; every comment stays in its line. */
export function withoutOne(doc: Document, path: KeyPath): string | undefined {
  const pair = doc.pairs.find((one) => isPrefix(path, one.path));
  if (pair !== undefined) return spliced(doc.text, [pairRemoval(doc, pair)]);
  const header = doc.headers.find((one) => isPrefix(path, one.path));
  return header === undefined ? undefined : spliced(doc.text, [headerRemoval(doc, header.node)]);
}

/** The brackets around the name are no node of their own. */
function headerRemoval(doc: Document, { key, range, kind }: AST.TOMLTable): Splice {
  const close = doc.text.indexOf(']', key.range[1]);
  return withGap(doc, removal(doc, { start: range[0], end: close + (kind === 'array' ? 2 : 1) }));
}

/** The empty line that set a section apart goes with it, unless it sets apart what is left of it. */
function withGap({ text }: Document, removed: Splice): Splice {
  const gap = /(?<=\n)\r?\n$/.exec(text.slice(0, removed.start))?.[0];
  const isBare = removed.text === '' && /^(?:[ \t]*(?:\r?\n|$)|[ \t]*\[)/.test(text.slice(removed.end));
  return gap !== undefined && isBare ? { ...removed, start: removed.start - gap.length } : removed;
}

function pairRemoval(doc: Document, { node }: Pair): Splice {
  if (node.parent.type !== 'TOMLInlineTable') return removal(doc, { start: node.range[0], end: node.range[1] });
  const { body, range } = node.parent;
  const at = body.indexOf(node);
  const next = body[at + 1];
  const previous = body[at - 1];
  if (previous !== undefined) return { start: previous.range[1], end: node.range[1], text: '' };
  if (next !== undefined) return { start: node.range[0], end: next.range[0], text: '' };
  return { start: range[0], end: range[1], text: '{}' };
}
