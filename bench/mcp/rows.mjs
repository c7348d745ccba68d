// A Bash call over MCP on stdio beside the same bubblewrap call started from Node directly, in turn in one run.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const CORDON = fileURLToPath(new URL('../../dist/bin/cordon', import.meta.url));
const COMMAND = 'echo "$BENCH_KEY"';
const VALUE = 'value-of-the-bench';

function prepare() {
  const root = mkdtempSync(join(tmpdir(), 'cordon-bench-mcp-'));
  const [home, workspace] = ['home', 'workspace'].map((name) => join(root, name));
  for (const folder of [home, workspace]) mkdirSync(folder);
  writeFileSync(join(home, 'secrets.yaml'), `sandboxed_envs:\n  BENCH_KEY: ${VALUE}\n`, { mode: 0o600 });
  return { root, home, workspace };
}

async function connect({ home, workspace }) {
  const transport = new StdioClientTransport({
    command: CORDON,
    args: ['mcp', '--user', 'bench', '--workspace', workspace],
    env: { PATH: process.env.PATH, CORDON_HOME: home },
    stderr: 'ignore',
  });
  const client = new Client({ name: 'bench', version: '1' });
  await client.connect(transport);
  return client;
}

async function overMcp(client) {
  const { structuredContent } = await client.callTool({ name: 'Bash', arguments: { command: COMMAND } });
  if (structuredContent?.output !== VALUE) throw new Error('the call did not print its variable');
}

/** What a session's sandbox consists of, without Cordon: namespaces, system read-only, private /tmp, the workspace. */
const SANDBOX = [
  ...['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-net', '--die-with-parent', '--new-session'],
  ...['--cap-drop', 'ALL', '--ro-bind', '/usr', '/usr', '--ro-bind', '/etc', '/etc', '--symlink', 'usr/bin', '/bin'],
  ...[
    '--symlink',
    'usr/lib',
    '/lib',
    '--symlink',
    'usr/lib64',
    '/lib64',
    '--dev',
    '/dev',
    '--proc',
    '/proc',
    '--tmpfs',
    '/tmp',
  ],
];

function byBubblewrap({ workspace }) {
  const inside = ['--bind', workspace, '/workspace', '--chdir', '/workspace', '--', '/bin/bash', '-c', COMMAND];
  const env = { HOME: '/workspace', PATH: '/usr/bin:/bin', BENCH_KEY: VALUE };
  return new Promise((resolve, reject) => {
    const child = spawn('bwrap', [...SANDBOX, ...inside], { env, stdio: ['pipe', 'pipe', 'pipe'] });
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    child.stdin.end();
    child.once('close', () => (output === `${VALUE}\n` ? resolve() : reject(new Error('bubblewrap failed'))));
  });
}

async function timed(work) {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

export async function rows({ smoke }) {
  const rounds = smoke ? 20 : 300;
  const place = prepare();
  const client = await connect(place);
  const times = { mcp: [], bwrap: [] };
  for (let i = -5; i < rounds; i++) {
    const [mcp, bwrap] = [await timed(() => overMcp(client)), await timed(() => byBubblewrap(place))];
    if (i < 0) continue;
    times.mcp.push(mcp);
    times.bwrap.push(bwrap);
  }
  await client.close();
  rmSync(place.root, { recursive: true });
  const [mcp, bwrap] = [median(times.mcp), median(times.bwrap)];
  return [
    {
      name: 'Bash over MCP on stdio / the same bubblewrap call from Node',
      value: mcp / bwrap,
      unit: 'x',
      goal: '<= 1.3',
    },
    { name: '  median Bash over MCP', value: mcp, unit: 'ms' },
    { name: '  median bubblewrap from Node', value: bwrap, unit: 'ms' },
  ];
}
