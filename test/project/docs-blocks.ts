import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/project.ts';

export const PAGES: readonly string[] = [
  'README.md',
  ...['docs', 'docs/coming-from'].flatMap((folder) =>
    readdirSync(join(ROOT, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`),
  ),
];

export const textOf = (page: string): string => readFileSync(join(ROOT, page), 'utf8');

/** A code block of a page, with what a comment right above it says: `<!-- needs: ruff vault:KEY; exit: 1 -->`. */
export interface Block {
  readonly page: string;
  readonly line: number;
  readonly language: string;
  readonly text: string;
  readonly notes: ReadonlyMap<string, string>;
  /** The lines between the block before and this one. */
  readonly before: readonly string[];
}

const FENCE = /^\s*```(\S*)\s*$/;

export function blocksOf(page: string): Block[] {
  const lines = textOf(page).split('\n');
  const blocks: Block[] = [];
  let before: string[] = [];
  for (let i = 0; i < lines.length; i++) {
    const language = FENCE.exec(lines[i] as string)?.[1];
    if (language === undefined) {
      before.push(lines[i] as string);
      continue;
    }
    const end = lines.findIndex((line, at) => at > i && FENCE.test(line));
    if (end === -1) throw new Error(`${page}:${i + 1}: a block without an end`);
    const text = lines.slice(i + 1, end).join('\n');
    blocks.push({ page, line: i + 1, language, text, notes: notesIn(before, page), before });
    before = [];
    i = end;
  }
  return blocks;
}

const KNOWN = ['needs', 'exit', 'stdin', 'until', 'with', 'from', 'by'];

function notesIn(before: readonly string[], page: string): Map<string, string> {
  const above = before.filter((line) => line.trim() !== '').at(-1) ?? '';
  const inside = /^\s*<!-- (.*) -->\s*$/.exec(above)?.[1];
  const notes = (inside?.split('; ') ?? []).map((note) => /^([a-z]+): (.+)$/.exec(note)?.slice(1) ?? [note]);
  for (const [name = '', value] of notes)
    if (!KNOWN.includes(name) || value === undefined) throw new Error(`${page}: a note that means nothing: ${above}`);
  return new Map(notes as [string, string][]);
}

/** Commands, each with the text that the page says it prints, if it does. */
export interface Session {
  readonly block: Block;
  readonly prints: string | undefined;
}

export function sessionsOf(page: string): Session[] {
  const blocks = blocksOf(page);
  return blocks.flatMap((block, i) => {
    if (block.language !== 'sh') return [];
    const next = blocks[i + 1];
    const follows = next?.language === 'text' && next.before.every((line) => line.trim() === '');
    return [{ block, prints: follows ? next.text : undefined }];
  });
}
