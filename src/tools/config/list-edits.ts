import type { AST } from 'toml-eslint-parser';
import type { Document } from './document.ts';
import { textLiteral } from './literal.ts';
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
