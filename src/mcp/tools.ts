import type { McpServer } from '@modelcontextprotocol/server';
import type { Skill } from '../sessions/types.ts';
import { runCall } from './call.ts';
import { BASH_INPUT, CALL_OUTPUT, MAX_PREVIEW_LINES, SKILL_INPUT } from './schemas.ts';
import type { Serving } from './serving.ts';

const BASH_DESCRIPTION =
  'Runs a command with bash in a sandbox of its own: /workspace is writable and persists, the rest of the system is read-only, /tmp is private ' +
  'and gone after the call. Shows the first or last lines of the output; all of it is kept in a file in /workspace/.cordon.';

export function registerTools(server: McpServer, serving: Serving): void {
  registerBash(server, serving);
  for (const skill of serving.session.skills) if (skill.kind === 'script') registerSkill(server, skill, serving);
}

function registerBash(server: McpServer, serving: Serving): void {
  server.registerTool(
    'Bash',
    {
      title: 'Bash in the sandbox',
      description: `${BASH_DESCRIPTION} ${serving.session.reach}`,
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
