import * as z from 'zod/v4';

export const MAX_PREVIEW_LINES = 2000;

/** Strict: a misspelt argument is an error, not a default. */
export const BASH_INPUT = z.strictObject({
  command: z.string().min(1).describe('what bash -c runs, with /workspace as working directory'),
  timeout_ms: z
    .int()
    .min(1)
    .optional()
    .describe('stop it after this many milliseconds; the limit of the profile still holds'),
  preview_mode: z.enum(['head', 'tail']).default('tail').describe('show the first or the last lines of the output'),
  preview_lines: z.int().min(0).max(MAX_PREVIEW_LINES).default(100).describe('how many lines are shown'),
});

export const SKILL_INPUT = z.strictObject({
  args: z.array(z.string()).default([]).describe('arguments of the script, one per entry'),
  input_data: z.string().default('').describe('what the script reads from stdin'),
});

export const CALL_OUTPUT = z.object({
  exit_code: z.int().describe('the own exit code of the command; 128+n when signal n ended it'),
  output: z.string().describe('the lines shown, stdout and stderr as they came'),
  output_file: z.string().optional().describe('the file with all of the output, inside the sandbox'),
  output_bytes: z.int(),
  output_lines: z.int(),
  shown_lines: z.int(),
  timed_out: z.boolean().describe('Cordon stopped it because its time was up'),
  limit: z.string().optional().describe('which limit was hit, in words'),
  notes: z.array(z.string()).optional().describe('what the exit code does not tell'),
  duration_ms: z.int(),
});
