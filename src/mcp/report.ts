import type { CallToolResult } from '@modelcontextprotocol/server';
import type { CallResult } from '../sessions/types.ts';
import type { Preview } from './preview.ts';

export interface Reported {
  readonly result: CallResult;
  readonly preview: Preview;
  readonly kept: Kept;
}

/** Where all of the output is, as the sandbox sees it, or why it is not kept. */
export type Kept = { readonly file: string } | { readonly problem: string } | 'nowhere';

/** What came out, for a model to read and for a program to parse. */
export function report({ result, preview, kept }: Reported): CallToolResult {
  const shown = preview.shown();
  const notes = notesOf(result, kept);
  const ending = [...notes.map((note) => `[Cordon: ${note}]`), summary(result, preview, kept)].join('\n');
  const { exitCode, timedOut, cancelled } = result;
  return {
    content: [{ type: 'text', text: shown.text === '' ? ending : `${shown.text}\n\n${ending}` }],
    structuredContent: {
      exit_code: exitCode,
      output: shown.text,
      ...(kept !== 'nowhere' && 'file' in kept ? { output_file: kept.file } : {}),
      output_bytes: result.outputBytes,
      output_lines: preview.lines,
      shown_lines: shown.lines,
      timed_out: timedOut,
      ...(result.limit === undefined ? {} : { limit: result.limit }),
      ...(notes.length === 0 ? {} : { notes }),
      duration_ms: Math.round(result.durationMs),
    },
    ...(exitCode === 0 && !timedOut && !cancelled ? {} : { isError: true }),
  };
}

/** What an exit code alone cannot tell: a limit from a command that says the same, a kill from outside. Some clients show the data only. */
function notesOf({ cancelled, limit, exitCode, note }: CallResult, kept: Kept): string[] {
  return [
    ...(limit === undefined ? [] : [`this call hit ${limit}`]),
    ...(cancelled ? ['the call was cancelled'] : []),
    ...(exitCode === KILLED ? [KILLED_WORDS] : []),
    ...(note === undefined ? [] : [note]),
    ...(kept !== 'nowhere' && 'problem' in kept ? [`the full output was not kept: ${kept.problem}`] : []),
  ];
}

const KILLED = 137;
const KILLED_WORDS =
  'exit code 137 is that of a process that was killed, by itself or from outside; the session goes on';

function summary({ exitCode, outputBytes }: CallResult, preview: Preview, kept: Kept): string {
  const { lines, whole } = preview.shown();
  const part = whole ? '' : `, ${lines} of them shown`;
  return `[exit code ${exitCode}; ${outputBytes} bytes in ${preview.lines} lines${part}${placeWords(kept, whole)}]`;
}

function placeWords(kept: Kept, isWhole: boolean): string {
  if (kept === 'nowhere') return isWhole ? '' : '; the rest is not kept, write it to a file of /workspace';
  return 'file' in kept ? `; full output in ${kept.file}` : '; full output not kept';
}
