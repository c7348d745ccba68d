import { McpServer } from '@modelcontextprotocol/server';
import { introduction, registerInstructions } from './instructions.ts';
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
