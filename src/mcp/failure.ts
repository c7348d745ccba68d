import type { CallToolResult } from '@modelcontextprotocol/server';
import { CordonError } from '../host/errors.ts';

/** A refusal in the words of the error: SECURITY ERROR and its way out among them. What is unexpected shows no text: it may hold what was being worked on. */
export function failure(error: unknown): CallToolResult {
  return refusal(failureText(error));
}

export function failureText(error: unknown): string {
  if (!(error instanceof CordonError))
    return 'an unexpected error in Cordon; nothing more is said, so that no value is';
  const place = error.where === undefined ? '' : `${error.where}: `;
  return [`${place}${error.message}`, ...(error.hint === undefined ? [] : [`hint: ${error.hint}`])].join('\n');
}

export function refusal(text: string): CallToolResult {
  return { isError: true, content: [{ type: 'text', text }] };
}
