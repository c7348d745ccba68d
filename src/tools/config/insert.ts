import type { AST } from 'toml-eslint-parser';
import { type Document, isPrefix, type KeyPath, type Pair } from './document.ts';
import { keyLiteral } from './literal.ts';
import { indentAt, lineEnd, type Splice, spliced } from './splice.ts';

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
