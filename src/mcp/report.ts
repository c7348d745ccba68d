import type { CallToolResult } from '@modelcontextprotocol/server';
import type { CallResult } from '../sessions/types.ts';
import type { Preview } from './preview.ts';

export interface Reported {
  readonly result: CallResult;
  readonly preview: Preview;
  readonly kept: Kept;
}

/** Where all of the output is, as the sandbox sees it, or why it is not kept. */
export type Kept = { readonly file: string } | { readonly problem: string };

/** What came out, for a model to read and for a program to parse. */
export function report({ result, preview, kept }: Reported): CallToolResult {
  const shown = preview.shown();
  const notes = [...stops(result), summary(result, preview, kept)].join('\n');
  const { exitCode, timedOut, cancelled } = result;
  return {
    content: [{ type: 'text', text: shown.text === '' ? notes : `${shown.text}\n\n${notes}` }],
    structuredContent: {
      exit_code: exitCode,
      output: shown.text,
      ...('file' in kept ? { output_file: kept.file } : {}),
      output_bytes: result.outputBytes,
      output_lines: preview.lines,
      shown_lines: shown.lines,
      timed_out: timedOut,
      ...(result.limit === undefined ? {} : { limit: result.limit }),
      duration_ms: Math.round(result.durationMs),
    },
    ...(exitCode === 0 && !timedOut && !cancelled ? {} : { isError: true }),
  };
}

/** Why it ended when it did not end by itself: an exit code alone cannot tell a limit from a command that says the same. */
function stops({ cancelled, limit }: CallResult): string[] {
  return [
    ...(limit === undefined ? [] : [`[Cordon: this call hit ${limit}]`]),
    ...(cancelled ? ['[Cordon: the call was cancelled]'] : []),
  ];
}

function summary({ exitCode, outputBytes }: CallResult, preview: Preview, kept: Kept): string {
  const { lines, whole } = preview.shown();
  const part = whole ? '' : `, ${lines} of them shown`;
  const place = 'file' in kept ? `full output in ${kept.file}` : `the full output was not kept: ${kept.problem}`;
  return `[exit code ${exitCode}; ${outputBytes} bytes in ${preview.lines} lines${part}; ${place}]`;
}
