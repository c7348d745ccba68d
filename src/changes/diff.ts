import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { deflateSync } from 'node:zlib';
import { type Bytes, bufferOfBytes, bytesOfBuffer, textOfBytes } from '../host/bytes.ts';
import { quietly, reading } from '../host/files.ts';

/** One side of a change: a file with its mode, or nothing. */
export interface Side {
  readonly content: Buffer;
  readonly mode: number;
}

/** A regular file as it is now; undefined where there is none that can be read. */
export const realSide = (path: Bytes): Side | undefined =>
  quietly(() =>
    reading(bufferOfBytes(path), 'refused', (descriptor, stats) =>
      stats.isFile() ? { content: readFileSync(descriptor), mode: stats.mode } : undefined,
    ),
  );

const CONTEXT = 3;

/** As `git apply` takes it; text is shown by lines, anything else as a binary patch. The path is relative to where it is applied. */
export function fileDiff(path: Bytes, before: Side | undefined, after: Side | undefined): string {
  const [one, other] = [quoted(`a/${path}`), quoted(`b/${path}`)];
  const body = bodyOf(before?.content ?? Buffer.alloc(0), after?.content ?? Buffer.alloc(0));
  const modes = modeLines(before, after);
  if (body.kind === 'same' && modes.length === 0) return '';
  const index = `index ${blob(before)}..${blob(after)}${isSameMode(before, after) ? ` ${gitMode(before?.mode ?? 0)}` : ''}`;
  const names = [`--- ${before === undefined ? '/dev/null' : one}`, `+++ ${after === undefined ? '/dev/null' : other}`];
  const head = [`diff --git ${one} ${other}`, ...modes];
  if (body.kind === 'same')
    return `${[...head, ...(before === undefined || after === undefined ? [index] : [])].join('\n')}\n`;
  if (body.kind === 'binary') return `${[...head, index, ...body.lines].join('\n')}\n`;
  return `${[...head, index, ...names, ...body.lines].join('\n')}\n`;
}

const gitMode = (mode: number) => ((mode & 0o111) === 0 ? '100644' : '100755');
const isSameMode = (one: Side | undefined, other: Side | undefined) =>
  one !== undefined && other !== undefined && gitMode(one.mode) === gitMode(other.mode);

function modeLines(before: Side | undefined, after: Side | undefined): string[] {
  if (before === undefined) return after === undefined ? [] : [`new file mode ${gitMode(after.mode)}`];
  if (after === undefined) return [`deleted file mode ${gitMode(before.mode)}`];
  return isSameMode(before, after) ? [] : [`old mode ${gitMode(before.mode)}`, `new mode ${gitMode(after.mode)}`];
}

/** The name that git gives to a content, in full: a binary patch is not taken with less. */
function blob(side: Side | undefined): string {
  if (side === undefined) return '0'.repeat(40);
  return createHash('sha1').update(`blob ${side.content.length}\0`).update(side.content).digest('hex');
}

/** As git writes names that are not plain. */
function quoted(name: string): string {
  if (/^[\x21-\x7e]+$/.test(name) && !/["\\]/.test(name)) return name;
  const escapes: Readonly<Record<string, string>> = { '\n': '\\n', '\t': '\\t', '"': '\\"', '\\': '\\\\' };
  const inner = name.replace(
    /[^\x20-\x7e]|["\\]/g,
    (byte) => escapes[byte] ?? `\\${byte.charCodeAt(0).toString(8).padStart(3, '0')}`,
  );
  return `"${inner}"`;
}

type Body = { readonly kind: 'same' } | { readonly kind: 'text' | 'binary'; readonly lines: readonly string[] };

function bodyOf(before: Buffer, after: Buffer): Body {
  if (before.equals(after)) return { kind: 'same' };
  const [one, other] = [textIn(before), textIn(after)];
  return one === undefined || other === undefined
    ? { kind: 'binary', lines: ['GIT binary patch', ...literal(after), ...literal(before)] }
    : { kind: 'text', lines: hunks(linesIn(one), linesIn(other)) };
}

const textIn = (content: Buffer) => (content.includes(0) ? undefined : textOfBytes(bytesOfBuffer(content)));

/** Each with its newline, which the last one may lack. */
export const linesIn = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

// ── lines ──

export interface DiffStep {
  readonly kind: 'keep' | 'remove' | 'add';
  /** The place among the old lines, or among the new ones where a line is added. */
  readonly at: number;
}

const MOST_STEPS = 4000;
const MOST_KEPT = 64_000_000;

/** A shortest way from the old lines to the new ones (Myers); where that would take too long, everything between the common ends. */
export function stepsBetween(before: readonly string[], after: readonly string[]): DiffStep[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let [endBefore, endAfter] = [before.length, after.length];
  while (endBefore > start && endAfter > start && before[endBefore - 1] === after[endAfter - 1]) {
    endBefore--;
    endAfter--;
  }
  const middle = shortest(before.slice(start, endBefore), after.slice(start, endAfter));
  return [
    ...range(0, start).map((at): DiffStep => ({ kind: 'keep', at })),
    ...middle.map(({ kind, at }): DiffStep => ({ kind, at: at + start })),
    ...range(endBefore, before.length).map((at): DiffStep => ({ kind: 'keep', at })),
  ];
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);

function shortest(before: readonly string[], after: readonly string[]): DiffStep[] {
  const [n, m] = [before.length, after.length];
  const most = Math.min(n + m, MOST_STEPS);
  const offset = most + 1;
  const reach = new Int32Array(2 * most + 3);
  const trace: Int32Array[] = [];
  // Keeping every round of a long way would take more memory than the files themselves.
  for (let d = 0; d <= most && d * reach.length < MOST_KEPT; d++) {
    trace.push(reach.slice());
    for (let k = -d; k <= d; k += 2) {
      const x = alongEqual(
        before,
        after,
        comesDown(reach, offset, k, d) ? at(reach, offset + k + 1) : at(reach, offset + k - 1) + 1,
        k,
      );
      reach[offset + k] = x;
      if (x >= n && x - k >= m) return backwards(trace, n, m, offset);
    }
  }
  return [
    ...range(0, n).map((one): DiffStep => ({ kind: 'remove', at: one })),
    ...range(0, m).map((one): DiffStep => ({ kind: 'add', at: one })),
  ];
}

const at = (list: Int32Array, index: number) => list[index] as number;

const comesDown = (reach: Int32Array, offset: number, k: number, d: number) =>
  k === -d || (k !== d && at(reach, offset + k - 1) < at(reach, offset + k + 1));

function alongEqual(before: readonly string[], after: readonly string[], from: number, k: number): number {
  let x = from;
  while (x < before.length && x - k < after.length && before[x] === after[x - k]) x++;
  return x;
}

function backwards(trace: readonly Int32Array[], n: number, m: number, offset: number): DiffStep[] {
  const steps: DiffStep[] = [];
  let [x, y] = [n, m];
  for (let d = trace.length - 1; d >= 0; d--) {
    const reach = trace[d] as Int32Array;
    const k = x - y;
    const down = comesDown(reach, offset, k, d);
    const from = down ? k + 1 : k - 1;
    const fromX = d === 0 ? 0 : at(reach, offset + from);
    const fromY = d === 0 ? 0 : fromX - from;
    while (x > fromX && y > fromY) {
      steps.push({ kind: 'keep', at: --x });
      y--;
    }
    if (d > 0) steps.push(down ? { kind: 'add', at: --y } : { kind: 'remove', at: --x });
  }
  return steps.reverse();
}

function hunks(before: readonly string[], after: readonly string[]): string[] {
  const steps = stepsBetween(before, after);
  const changed = steps.flatMap(({ kind }, i) => (kind === 'keep' ? [] : [i]));
  const groups: [number, number][] = [];
  for (const i of changed) {
    const last = groups.at(-1);
    if (last !== undefined && i - last[1] <= 2 * CONTEXT) last[1] = i;
    else groups.push([i, i]);
  }
  const counts = countsBefore(steps);
  return groups.flatMap(([first, last]) => {
    const [from, to] = [Math.max(0, first - CONTEXT), Math.min(steps.length, last + CONTEXT + 1)];
    const [oldAt, newAt] = counts[from] as [number, number];
    const [oldEnd, newEnd] = counts[to] as [number, number];
    const head = `@@ -${span(oldAt, oldEnd)} +${span(newAt, newEnd)} @@`;
    return [head, ...steps.slice(from, to).flatMap((step) => shownLine(step, before, after))];
  });
}

/** How many old and new lines lie before each step. */
function countsBefore(steps: readonly DiffStep[]): [number, number][] {
  const counts: [number, number][] = [[0, 0]];
  for (const { kind } of steps) {
    const [old, now] = counts.at(-1) as [number, number];
    counts.push([old + (kind === 'add' ? 0 : 1), now + (kind === 'remove' ? 0 : 1)]);
  }
  return counts;
}

const span = (from: number, to: number) => (to === from ? `${from},0` : `${from + 1},${to - from}`);

function shownLine({ kind, at }: DiffStep, before: readonly string[], after: readonly string[]): string[] {
  const line = (kind === 'add' ? after[at] : before[at]) as string;
  const mark = { keep: ' ', add: '+', remove: '-' }[kind];
  return line.endsWith('\n') ? [mark + line.slice(0, -1)] : [mark + line, '\\ No newline at end of file'];
}

// ── anything else ──

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~';

/** 52 bytes a line in base 85, as git writes them. */
function literal(content: Buffer): string[] {
  const packed = deflateSync(content);
  const lines: string[] = [];
  for (let at = 0; at < packed.length; at += 52) {
    const bytes = packed.subarray(at, at + 52);
    const length = String.fromCharCode(bytes.length <= 26 ? 64 + bytes.length : 96 + bytes.length - 26);
    let text = '';
    for (let i = 0; i < bytes.length; i += 4) {
      let word = 0;
      for (let j = 0; j < 4; j++) word = word * 256 + (bytes[i + j] ?? 0);
      let five = '';
      for (let j = 0; j < 5; j++) {
        five = (DIGITS[word % 85] as string) + five;
        word = Math.floor(word / 85);
      }
      text += five;
    }
    lines.push(length + text);
  }
  return [`literal ${content.length}`, ...lines, ''];
}

/**
 * What the real file becomes when the command changed a copy of it in which some lines are blank: lines that it left as they were are the
 * real ones. Undefined where the copy does not match the real file line by line.
 */
export function carriedOver(real: Buffer, copy: Buffer, changed: Buffer): Buffer | undefined {
  const [realLines, copyLines, newLines] = [real, copy, changed].map((one) => linesIn(bytesOfBuffer(one))) as [
    string[],
    string[],
    string[],
  ];
  if (realLines.length !== copyLines.length) return undefined;
  const lines = stepsBetween(copyLines, newLines)
    .filter(({ kind }) => kind !== 'remove')
    .map(({ kind, at }) => (kind === 'keep' ? realLines[at] : newLines[at]));
  return bufferOfBytes(lines.join('') as Bytes);
}
