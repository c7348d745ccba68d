import type { AST } from 'toml-eslint-parser';
import { type Document, isPrefix, type KeyPath, type Pair } from './document.ts';
import { removal, type Splice, spliced } from './splice.ts';

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
