import type { Decision } from '../../decide/decide.ts';
import { showText } from '../../host/bytes.ts';
import type { StartupNote } from '../../plan/startup-file.ts';
import type { Context } from '../context.ts';
import { wrap } from './definitions.ts';

/** So many lines of one file are told one by one. */
const FEW = 6;

/** `~/.bashrc:12 sets AWS_SECRET_ACCESS_KEY: left out of the copy`; names only, never values. */
export function showStartupNotes(notes: readonly StartupNote[], { columns }: Pick<Context, 'columns'>): string {
  const room = columns === undefined ? Number.POSITIVE_INFINITY : columns - 2;
  const files = [...new Set(notes.map(({ path }) => path))].map((path) => notes.filter((note) => note.path === path));
  return files
    .flatMap((own) => (own.length > FEW ? [lineForAll(own)] : own.map(lineFor)))
    .map((line) => `${wrap(line, room).join('\n  ')}\n`)
    .join('');
}

/** `~/.bashrc: 40 lines are left out of the copy or not exported in it (AWS_SECRET_ACCESS_KEY, a credential …)`. */
function lineForAll(notes: readonly StartupNote[]): string {
  const lines = new Set(notes.map(({ line }) => line)).size;
  const names = [...new Set(notes.map(({ name }) => name || 'a credential'))];
  const told = [...names.slice(0, FEW), ...(names.length > FEW ? ['…'] : [])].join(', ');
  return showText(`${notes[0]?.file}: ${lines} lines are left out of the copy or not exported in it (${told})`);
}

export function startupNotesAsJson(notes: readonly StartupNote[]): object[] {
  return notes.map(({ file, line, name, saying, hidden }) => ({ file, line, name, hidden, saying: showText(saying) }));
}

/** Whoever asks for one variable hears where else it would have come from. */
export function withStartupNotes(decision: Decision, notes: readonly StartupNote[]): Decision {
  const own = notes.filter(({ name }) => name === decision.name && name !== '');
  if (own.length === 0) return decision;
  return { ...decision, reason: [decision.reason, ...own.map(lineFor)].join('; ') };
}

function lineFor({ file, line, saying }: StartupNote): string {
  return `${file}:${line} ${showText(saying)}`;
}
