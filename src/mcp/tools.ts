import type { McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod/v4';
import type { Skill } from '../sessions/types.ts';
import { runCall } from './call.ts';
import type { Serving } from './serving.ts';

const BASH_DESCRIPTION =
  'Runs a command with bash in a sandbox of its own: /workspace is writable and persists, the rest of the system is read-only, /tmp is private ' +
  'and gone after the call. Shows the first or last lines of the output';

export function registerTools(server: McpServer, serving: Serving): void {
  registerBash(server, serving);
  for (const skill of serving.session.skills) if (skill.kind === 'script') registerSkill(server, skill, serving);
}

function registerBash(server: McpServer, serving: Serving): void {
  server.registerTool(
    'Bash',
    {
      title: 'Bash in the sandbox',
      description: `${BASH_DESCRIPTION}${keptWords(serving)} ${serving.session.reach}`,
      inputSchema: BASH_INPUT,
      outputSchema: CALL_OUTPUT,
      annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
    },
    ({ command, timeout_ms: timeoutMs, preview_mode: mode, preview_lines: lines }, context) =>
      runCall(
        {
          kind: 'bash',
          preview: { mode, lines },
          timeoutMs,
          start: (options) => serving.session.bash(command, options),
        },
        context,
        serving,
      ),
  );
}

const keptWords = ({ session }: Serving) =>
  session.isElsewhere === true ? '.' : '; all of it is kept in a file in /workspace/.cordon.';

function registerSkill(server: McpServer, { name, toolName, description }: Skill, serving: Serving): void {
  server.registerTool(
    toolName,
    {
      title: name,
      description,
      inputSchema: SKILL_INPUT,
      outputSchema: CALL_OUTPUT,
      annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
    },
    ({ args, input_data: input }, context) =>
      runCall(
        {
          kind: 'skill',
          preview: { mode: 'head', lines: MAX_PREVIEW_LINES },
          start: (options) => serving.session.runSkill(name, { ...options, args, input }),
        },
        context,
        serving,
      ),
  );
}

const MAX_PREVIEW_LINES = 2000;

/** Strict: a misspelt argument is an error, not a default. */
const BASH_INPUT = z.strictObject({
  command: z.string().min(1).describe('what bash -c runs, with /workspace as working directory'),
  timeout_ms: z
    .int()
    .min(1)
    .optional()
    .describe('stop it after this many milliseconds; the limit of the profile still holds'),
  preview_mode: z.enum(['head', 'tail']).default('tail').describe('show the first or the last lines of the output'),
  preview_lines: z.int().min(0).max(MAX_PREVIEW_LINES).default(100).describe('how many lines are shown'),
});

const SKILL_INPUT = z.strictObject({
  args: z.array(z.string()).default([]).describe('arguments of the script, one per entry'),
  input_data: z.string().default('').describe('what the script reads from stdin'),
});

const CALL_OUTPUT = z.object({
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
