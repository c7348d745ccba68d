// A Bash call over MCP on stdio beside the same bubblewrap call started from Node directly, in turn in one run.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { directCall, makeUsers, secretOf } from '../sessions/ground.mjs';
import { httpRows } from './http-rows.mjs';

const CORDON = fileURLToPath(new URL('../../dist/bin/cordon', import.meta.url));
const USER = 'user0';
const COMMAND = 'echo "$OWN_TOKEN"';

async function connect(workspace, env) {
  const transport = new StdioClientTransport({
    command: CORDON,
    args: ['mcp', '--user', USER, '--workspace', workspace],
    env: { ...env, PATH: process.env.PATH },
    stderr: 'ignore',
  });
  const client = new Client({ name: 'bench', version: '1' });
  await client.connect(transport);
  return client;
}

async function overMcp(client) {
  const { structuredContent } = await client.callTool({ name: 'Bash', arguments: { command: COMMAND } });
  if (structuredContent?.output !== secretOf(USER)) throw new Error('the call did not print its variable');
}

async function timed(work) {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

/** What the server makes ready for the next call falls on neither. */
const quiet = () => new Promise((resolve) => setTimeout(resolve, 30));

export async function rows({ smoke }) {
  const { root, env } = makeUsers(1);
  const workspace = join(root, 'workspaces', USER);
  const client = await connect(workspace, env);
  const direct = directCall(workspace, env);
  const values = { OWN_TOKEN: secretOf(USER), SHARED: 'shared-value' };
  const times = { mcp: [], bwrap: [], ping: [] };
  for (let i = 0; i < (smoke ? 20 : 200); i++) {
    await quiet();
    times.bwrap.push(await timed(() => direct(COMMAND, values)));
    await quiet();
    times.mcp.push(await timed(() => overMcp(client)));
    times.ping.push(await timed(() => client.ping()));
  }
  await client.close();
  rmSync(root, { recursive: true });
  const [mcp, bwrap, ping] = [median(times.mcp), median(times.bwrap), median(times.ping)];
  return [
    {
      name: 'mcp: Bash over stdio / the same bubblewrap call from Node',
      protection: 'session',
      value: mcp / bwrap,
      unit: '×',
      goal: '<= 0.6',
    },
    { name: '  median Bash over MCP', value: mcp, unit: 'ms' },
    { name: '  median bubblewrap from Node', value: bwrap, unit: 'ms' },
    { name: '  median ping over MCP: the protocol alone', value: ping, unit: 'ms' },
    ...(await httpRows({ smoke })),
  ];
}
