import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type http from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cordon, sceneOf } from '../network/support.ts';
import { NAME, SERVERS, serverOf, VALUE } from './support.ts';

const CONNECTIONS = 500;
const MOST_MEGABYTES = 80;

/** What the process outside has for itself, in MB: some 43 more are Node's own program, which all that run it share. */
function megabytesOf(launched: ReadonlySet<string>): number {
  const [pid] = outside().filter((one) => !launched.has(one));
  const [, kilobytes] = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}

const outside = () =>
  readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('network.cjs');
    } catch {
      return false;
    }
  });

/** Node inside: opens all connections, asks on each, and says how many were answered as they should be. */
const CLIENT = `
const https = require('https'); let right = 0, done = 0;
for (let i = 0; i < ${CONNECTIONS}; i++)
  https.get({ host: '${NAME}', path: '/' + i, agent: false, headers: { authorization: 'Bearer ' + process.env.TOKEN } }, (res) => {
    let text = ''; res.on('data', (d) => (text += d)).on('end', () => { if (text === 'n/' + i) right++; if (++done === ${CONNECTIONS}) console.log(right); });
  }).on('error', (e) => { console.log(e.code); process.exit(2); });
`;

test(`${CONNECTIONS} brokered connections at once take at most ${MOST_MEGABYTES} MB`, {
  timeout: 120_000,
}, async () => {
  const before = new Set(outside());
  const waiting: [http.IncomingMessage, http.ServerResponse][] = [];
  let megabytes = Number.NaN;
  const port = await serverOf((req, res) => {
    waiting.push([req, res]);
    if (waiting.length < CONNECTIONS) return;
    megabytes = megabytesOf(before);
    for (const [one, answer] of waiting) answer.end(`n${one.url}`);
  });
  const scene = sceneOf('cordon-test');
  const ca = join(scene.home, 'company.pem');
  writeFileSync(ca, SERVERS.certificate);
  const args = ['run', '--broker', `TOKEN@${NAME}`, '--net', `${NAME}=127.0.0.1:${port}`, '--', 'node', '-e', CLIENT];
  const ran = await cordon(scene, args, { TOKEN: VALUE, NODE_EXTRA_CA_CERTS: ca });
  expect(ran.stdout, ran.stderr).toBe(`${CONNECTIONS}\n`);
  expect(megabytes).toBeLessThanOrEqual(MOST_MEGABYTES);
});
