import { McpServer } from '@modelcontextprotocol/server';
import type { Session, Skill } from '../sessions/types.ts';
import type { Serving } from './serving.ts';
import { registerTools } from './tools.ts';

/** Skills are those of the session's start: nobody is told of others, so nobody is promised that. */
const FIXED = { listChanged: false };

/** The tools, prompts and resources of one session. The same for every transport and every revision of the protocol. */
export function createServer(serving: Serving): McpServer {
  const server = new McpServer(
    { name: 'cordon', title: 'Cordon', version: serving.version },
    { instructions: introduction(serving.session), capabilities: { tools: FIXED, prompts: FIXED, resources: FIXED } },
  );
  registerTools(server, serving);
  registerInstructions(server, serving.session);
  return server;
}

/** Skills that are only text: as prompts for people to pick, as resources for programs to read. */
function registerInstructions(server: McpServer, { skills }: Session): void {
  for (const skill of skills) if (skill.kind === 'instructions') registerText(server, skill);
}

function registerText(server: McpServer, { name, description, body = '' }: Skill): void {
  server.registerPrompt(name, { title: name, description }, () => ({
    description,
    messages: [{ role: 'user', content: { type: 'text', text: body } }],
  }));
  const mimeType = 'text/markdown';
  server.registerResource(name, uriOf(name), { title: name, description, mimeType }, (uri) => ({
    contents: [{ uri: uri.href, mimeType, text: body }],
  }));
}

function uriOf(name: string): string {
  return `skill://${encodeURIComponent(name)}/SKILL.md`;
}

/** What a model should know before its first call. Names of variables are no secret to it: it could ask for them. */
function introduction({ variableNames, skills, reach, isElsewhere }: Session): string {
  const texts = skills.filter(({ kind }) => kind === 'instructions').map(({ name }) => name);
  return [
    'Commands and skills run in a sandbox. Files in /workspace persist from call to call; processes do not.',
    ...(isElsewhere === true ? ['When nothing was called for a while, /workspace may be a new and empty one.'] : []),
    reach,
    ...(variableNames.length === 0
      ? []
      : [`These variables are set inside: ${variableNames.join(', ')}. Use them by name; do not print their values.`]),
    ...(texts.length === 0
      ? []
      : [`Instructions to follow where they fit, as prompts and resources: ${texts.join(', ')}.`]),
  ].join('\n');
}
