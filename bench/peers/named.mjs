// Starts a peer with the list of hosts and the credential of a probe, as `cordon prove --under` hands them over:
//   node named.mjs srt|codex|varlock default|configured COMMAND [ARG...]
// Names lead where the probe says: for peers that run in Node by a stand-in for their resolver (names.cjs), for others by a proxy above
// their own, which is what somebody behind a company's proxy has.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PEERS } from '../peers.mjs';
import { environmentOf, find } from './prefix.mjs';

const { CORDON_PROVE_HOSTS = '', CORDON_PROVE_BROKER = '', ...env } = process.env;
const words = (text) => text.split(' ').filter(Boolean);

/** `NAME[:PORT]=ADDRESS:PORT` or `NAME`. */
const HOSTS = words(CORDON_PROVE_HOSTS).map((text) => {
  const [place, target] = text.split('=');
  const [name, port = '443'] = place.split(':');
  return { name, port, target };
});
const BROKERED = words(CORDON_PROVE_BROKER).map((text) => text.split('@'));
const NAMES = [...new Set([...HOSTS.map(({ name }) => name), ...BROKERED.map(([, host]) => host)])];
/** With their ports, for those that can be told them. */
const PLACES = [
  ...new Set([...HOSTS.map(({ name, port }) => `${name}:${port}`), ...BROKERED.map(([, host]) => `${host}:443`)]),
];

/** Where a name leads; undefined where it leads nowhere. */
function targetOf(place) {
  const [name, port = '80'] = place.split(':');
  const target = HOSTS.find((host) => host.name === name && host.port === port)?.target;
  return target === undefined ? undefined : { host: target.split(':')[0], port: Number(target.split(':')[1]) };
}

function onConnect({ url }, client, head) {
  const target = targetOf(url);
  if (target === undefined) return client.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
  const server = connect(target, () => {
    client.write('HTTP/1.1 200 OK\r\n\r\n');
    server.write(head);
    server.pipe(client).pipe(server);
  });
  for (const one of [server, client]) one.on('error', () => [server, client].map((other) => other.destroy()));
}

function onRequest(asked, answer) {
  const url = new URL(asked.url, 'http://nowhere.invalid');
  const target = targetOf(`${url.hostname}:${url.port || 80}`);
  if (target === undefined) return answer.writeHead(502).end();
  const { method, headers } = asked;
  const onward = request({ ...target, method, headers, path: url.pathname + url.search }, (answered) => {
    answer.writeHead(answered.statusCode ?? 502, answered.headers);
    answered.pipe(answer);
  });
  asked.pipe(onward.on('error', () => answer.destroy()));
}

const RESOLVER = {
  NAMED_HOSTS: CORDON_PROVE_HOSTS,
  NODE_OPTIONS: `--require ${fileURLToPath(new URL('names.cjs', import.meta.url))}`,
};

/** What each is told, in its own words; undefined where it has none for it. */
const SAID = {
  srt: ({ folder, isStrict }) => {
    const settings = join(folder, 'settings.json');
    const envVars = BROKERED.map(([name, host]) => ({ name, mode: 'mask', injectHosts: [host] }));
    const allowedDomains = isStrict ? PLACES : NAMES;
    const strict = { strictAllowlist: true, requireHostMatch: true, refuseOpaqueTunnels: true };
    const terminated = envVars.length > 0 || isStrict ? { tlsTerminate: {} } : {};
    writeFileSync(
      settings,
      JSON.stringify({
        network: { allowedDomains, deniedDomains: [], ...terminated, ...(isStrict ? strict : {}) },
        filesystem: { denyRead: [], allowWrite: ['.'], denyWrite: [] },
        ...(envVars.length === 0 ? {} : { credentials: { envVars } }),
      }),
    );
    return { words: ['--settings', settings, '--'], env: RESOLVER };
  },
  codex: ({ proxy }) => {
    if (BROKERED.length > 0) return undefined;
    const domains = NAMES.map((name) => `"${name}"="allow"`).join(',');
    // The proxy above is on the loopback, and it takes names that it cannot look up itself for local ones.
    const network = `{enabled=true,allow_upstream_proxy=true,allow_local_binding=true,domains={${domains}}}`;
    return {
      words: [
        ...['sandbox', '-c', 'features.network_proxy.enabled=true'],
        ...['-c', `permissions.named={extends=":workspace",network=${network}}`, '-P', 'named', '--'],
      ],
      env: { HTTP_PROXY: proxy, HTTPS_PROXY: proxy },
    };
  },
  varlock: ({ folder, isStrict }) => {
    if (BROKERED.length === 0) return undefined;
    const rule = (host) => (isStrict ? `"${host}:443", substituteIn=["header:authorization"]` : `"${host}"`);
    const items = BROKERED.map(([name, host]) => `# @sensitive @proxy(domain=${rule(host)})\n${name}=`);
    const schema = ['# @proxyConfig={egress="permissive"}', '# ---', ...items, ''].join('\n');
    writeFileSync(join(folder, '.env.schema'), schema);
    // It has no barrier on Linux: the probe goes through its proxy first, not past it.
    const own = { VARLOCK_TELEMETRY_DISABLED: '1', CORDON_PROVE_FIRST: 'proxy' };
    return { words: ['proxy', 'run', '--new', '--path', folder, '--'], env: { ...RESOLVER, ...own } };
  },
};

const [id, variant, ...command] = process.argv.slice(2);
const folder = mkdtempSync(join(env.HOME, '.named-'));
const server = createServer(onRequest).on('connect', onConnect).listen(0, '127.0.0.1');
server.on('listening', () => {
  const proxy = `http://127.0.0.1:${server.address().port}`;
  const said = SAID[id]({ folder, proxy, isStrict: variant === 'configured' });
  if (said === undefined) {
    console.error(`${id} cannot be told this`);
    process.exit(125);
  }
  const peer = PEERS.find((one) => one.id === id);
  const program = find(id);
  const child = spawn(program, [...said.words, ...command], {
    stdio: 'inherit',
    env: { ...(env.CODEX_HOME ? {} : environmentOf(peer ?? {})), ...env, ...said.env },
  });
  child.on('close', (code) => {
    rmSync(folder, { recursive: true, force: true });
    process.exit(code ?? 1);
  });
});
