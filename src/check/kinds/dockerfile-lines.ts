import type { Source } from '../../policy/load/source.ts';

/** One instruction over all its lines, each character with its place in the file. */
export interface DockerInstruction {
  readonly name: string;
  readonly text: string;
  /** The place in the file of the character at this index of the text. */
  readonly offsetOf: (index: number) => number;
}

interface Line {
  readonly text: string;
  readonly start: number;
}

/** Continuations are joined and comments between them left out, as the builder does; the body of a heredoc belongs to its instruction. */
export function instructionsOf(source: Source): DockerInstruction[] {
  const lines = linesOf(source);
  const mark = escapeOf(lines);
  const instructions: DockerInstruction[] = [];
  for (let i = 0; i < lines.length; ) {
    const taken = takeInstruction(lines, i, mark);
    const instruction = join(taken);
    if (instruction !== undefined) instructions.push(instruction);
    i += Math.max(1, taken.count);
  }
  return instructions;
}

function linesOf({ text }: Source): Line[] {
  return [...text.matchAll(/[^\r\n]*(?:\r\n|\n|\r|$)/g)]
    .map((match) => ({ text: match[0].replace(/[\r\n]+$/, ''), start: match.index }))
    .filter(({ start }, i, all) => i === 0 || start !== all[i - 1]?.start);
}

/** `# escape=…` counts only among the first lines. */
function escapeOf(lines: readonly Line[]): string {
  const directives = lines.slice(
    0,
    Math.max(
      0,
      lines.findIndex(({ text }) => !/^\s*#/.test(text)),
    ),
  );
  return directives.map(({ text }) => /^\s*#\s*escape\s*=\s*([\\`])\s*$/i.exec(text)?.[1]).find(Boolean) ?? '\\';
}

interface Taken {
  readonly parts: readonly Line[];
  readonly count: number;
}

const isSkipped = ({ text }: Line) => /^\s*(?:#|$)/.test(text);

function takeInstruction(lines: readonly Line[], from: number, mark: string): Taken {
  const parts: Line[] = [];
  let at = from;
  for (let open = true; open && at < lines.length; at++) {
    const line = lines[at] as Line;
    if (isSkipped(line)) {
      open = parts.length > 0;
      continue;
    }
    const continued = line.text.trimEnd().endsWith(mark);
    parts.push(continued ? { ...line, text: `${line.text.trimEnd().slice(0, -1)} ` } : line);
    open = continued;
  }
  const bodies = takeHeredocs(lines, at, parts.map(({ text }) => text).join(''));
  return { parts: [...parts, ...bodies], count: at + bodies.length - from };
}

function takeHeredocs(lines: readonly Line[], from: number, text: string): Line[] {
  if (!/^\s*(?:RUN|COPY|ADD)\b/i.test(text)) return [];
  const ends = [...text.matchAll(/<<-?(["']?)([A-Za-z_]\w*)\1/g)].map((match) => match[2]);
  const bodies: Line[] = [];
  for (const end of ends) {
    const start = from + bodies.length;
    const last = lines.findIndex((line, i) => i >= start && line.text.trim() === end);
    bodies.push(
      ...lines
        .slice(start, last === -1 ? lines.length : last + 1)
        .map((line) => ({ ...line, text: `\n${line.text}`, start: line.start - 1 })),
    );
  }
  return bodies;
}

function join({ parts }: Taken): DockerInstruction | undefined {
  const [first] = parts;
  const name = /^\s*([A-Za-z]+)/.exec(first?.text ?? '')?.[1];
  if (first === undefined || name === undefined) return undefined;
  const text = parts.map((part) => part.text).join('');
  return { name: name.toUpperCase(), text, offsetOf: (index) => offsetIn(parts, index) };
}

function offsetIn(parts: readonly Line[], index: number): number {
  let before = 0;
  for (const { text, start } of parts) {
    if (index < before + text.length) return start + index - before;
    before += text.length;
  }
  const last = parts.at(-1);
  return last === undefined ? 0 : last.start + last.text.length;
}
