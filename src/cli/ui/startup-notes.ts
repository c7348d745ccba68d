import type { Decision } from '../../decide/decide.ts';
import { showText } from '../../host/bytes.ts';
import type { StartupNote } from '../../plan/startup/index.ts';
import type { Context } from '../context.ts';
import { wrap } from './definitions.ts';

/** `~/.bashrc:12 sets AWS_SECRET_ACCESS_KEY: left out of the copy`; names only, never values. */
export function showStartupNotes(notes: readonly StartupNote[], { columns }: Pick<Context, 'columns'>): string {
  const room = columns === undefined ? Number.POSITIVE_INFINITY : columns - 2;
  return notes.map((note) => `${wrap(lineFor(note), room).join('\n  ')}\n`).join('');
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
