import type { Document } from './document.ts';

/** Half open, as in `slice`. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

export interface Splice extends Range {
  readonly text: string;
}

/** All at once; the places are those of the text before. */
export function spliced(text: string, splices: readonly Splice[]): string {
  return splices
    .toSorted((a, b) => b.start - a.start)
    .reduce((rest, { start, end, text: fresh }) => rest.slice(0, start) + fresh + rest.slice(end), text);
}

function lineStart(text: string, at: number): number {
  return text.lastIndexOf('\n', at - 1) + 1;
}

/** Before the line break. */
export function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  if (end === -1) return text.length;
  return text[end - 1] === '\r' && end > at ? end - 1 : end;
}

export function indentAt(text: string, at: number): string {
  return /^[ \t]*/.exec(text.slice(lineStart(text, at)))?.[0] ?? '';
}

/** Takes something away and leaves every comment in its line; a line with nothing else goes too. */
export function removal(doc: Document, { start, end }: Range): Splice {
  const kept = doc.comments.filter(({ range }) => range[0] >= start && range[1] <= end);
  const behind = end + (/^[ \t]*/.exec(doc.text.slice(end))?.[0].length ?? 0);
  const restOfLine = doc.text.slice(behind, lineEnd(doc.text, behind));
  if (kept.length > 0) {
    const lines = [...kept.map(({ range }) => doc.text.slice(...range)), ...(restOfLine === '' ? [] : [''])];
    return { start, end: behind, text: lines.join(doc.newline + indentAt(doc.text, start)) };
  }
  const from = lineStart(doc.text, start);
  const alone = restOfLine === '' && doc.text.slice(from, start).trim() === '';
  return alone ? { start: from, end: nextLine(doc.text, behind), text: '' } : { start, end: behind, text: '' };
}

function nextLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end + 1;
}
