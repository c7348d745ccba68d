import { showText } from '../../host/bytes.ts';
import type { Context } from '../context.ts';
import { painter } from './colour.ts';

export function showWarnings(warnings: readonly string[], context: Pick<Context, 'err' | 'colour'>): void {
  if (warnings.length === 0) return;
  const paint = painter(context.colour.err);
  for (const warning of new Set(warnings)) context.err(`${paint('yellow', 'cordon: warning:')} ${showText(warning)}\n`);
}

/** What is good to know and nothing to worry about. */
export function showNotes(notes: readonly string[], context: Pick<Context, 'err'>): void {
  for (const note of notes) context.err(`cordon: ${showText(note)}\n`);
}
