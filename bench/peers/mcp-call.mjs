// A Bash call over MCP in a session that is open already, as a client that is connected makes it.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { makeUsers } from '../sessions/ground.mjs';

const CORDON = fileURLToPath(new URL('../../dist/bin/cordon', import.meta.url));

export async function openMcp(command) {
  const { root, env, users } = makeUsers(1);
  const args = ['mcp', '--user', users[0], '--workspace', join(root, 'workspaces', users[0])];
  const client = new Client({ name: 'bench', version: '1' });
  await client.connect(new StdioClientTransport({ command: CORDON, args, env, stderr: 'ignore' }));
  return {
    async call() {
      const started = performance.now();
      const { isError } = await client.callTool({ name: 'Bash', arguments: { command } });
      if (isError) throw new Error('the call over MCP failed');
      return performance.now() - started;
    },
    async close() {
      await client.close();
      rmSync(root, { recursive: true });
    },
  };
}
