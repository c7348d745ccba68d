import type { CallToolResult } from '@modelcontextprotocol/server';
import { CordonError } from '../host/errors.ts';

/** A refusal in the words of the error, SECURITY ERROR and its way out among them, without the place: a client learns no path of this machine. */
export function failure(error: unknown): CallToolResult {
  return refusal(textOf(error));
}

/** The same for a log, with the place. */
export function failureText(error: unknown): string {
  const place = error instanceof CordonError && error.where !== undefined ? `${error.where}: ` : '';
  return `${place}${textOf(error)}`;
}

/** What is unexpected shows no text: it may hold what was being worked on. */
function textOf(error: unknown): string {
  if (!(error instanceof CordonError))
    return 'an unexpected error in Cordon; nothing more is said, so that no value is';
  return [error.message, ...(error.hint === undefined ? [] : [`hint: ${error.hint}`])].join('\n');
}

export function refusal(text: string): CallToolResult {
  return { isError: true, content: [{ type: 'text', text }] };
}
