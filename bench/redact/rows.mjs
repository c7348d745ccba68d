// Redaction with 50 secrets: the search alone, and as a program between two pipes.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import '../../scripts/ts.mjs';

const { Redaction } = await import('../../src/redact/redaction.ts');
const { Redactor } = await import('../../src/redact/redactor.ts');
const { Secret } = await import('../../src/secrets/secret.ts');

const CHUNK = 65_536;

export function fiftySecrets() {
  const value = (i) =>
    createHash('sha256')
      .update(`bench ${i}`)
      .digest('base64url')
      .slice(0, 20 + (i % 20));
  return new Map(Array.from({ length: 50 }, (_, i) => [`SECRET_${i}`, new Secret(value(i))]));
}

function logLines() {
  const line = (i) =>
    `2026-01-01T10:00:${i % 60} INFO handled GET /api/v1/items/${(i * 7919) % 100_000} in ${i % 300} ms\n`;
  return Buffer.from(Array.from({ length: 20_000 }, (_, i) => line(i)).join(''));
}

function base64Text() {
  const block = (i) => createHash('sha512').update(String(i)).digest('base64');
  return Buffer.from(Array.from({ length: 20_000 }, (_, i) => block(i)).join('\n'));
}

/** A secret in every chunk. */
function withSecrets(text, secrets) {
  const values = [...secrets.values()];
  const copy = Buffer.from(text);
  for (let at = 0, i = 0; at + 100 < copy.length; at += CHUNK, i++) values[i % 50].buffer().copy(copy, at);
  return copy;
}

function searchSpeed(redaction, text, megabytes) {
  const redactor = new Redactor(redaction);
  const started = performance.now();
  let bytes = 0;
  while (bytes < megabytes * 1e6) {
    for (let at = 0; at < text.length; at += CHUNK) redactor.push(text.subarray(at, at + CHUNK));
    bytes += text.length;
  }
  redactor.end();
  return bytes / 1e3 / (performance.now() - started);
}

async function pipeSpeed(megabytes) {
  const relay = spawn(process.execPath, [fileURLToPath(new URL('relay.mjs', import.meta.url))], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const text = logLines();
  let read = 0;
  relay.stdout.on('data', (chunk) => {
    read += chunk.length;
  });
  await send(relay.stdin, text); // The relay has started and its code is warm.
  const [started, before] = [performance.now(), read];
  for (let sent = 0; sent < megabytes * 1e6; sent += text.length) await send(relay.stdin, text);
  relay.stdin.end();
  await once(relay, 'close');
  return (read - before) / 1e3 / (performance.now() - started);
}

async function send(stream, text) {
  for (let at = 0; at < text.length; at += CHUNK)
    if (!stream.write(text.subarray(at, at + CHUNK))) await once(stream, 'drain');
}

export async function rows({ smoke }) {
  const megabytes = smoke ? 20 : 400;
  const secrets = fiftySecrets();
  const redaction = new Redaction(secrets);
  const best = (text) => Math.max(...Array.from({ length: 3 }, () => searchSpeed(redaction, text, megabytes)));
  const row = (name, value) => ({ name: `redact: ${name}`, value: Math.round(value), unit: 'MB/s', goal: '>= 200' });
  return [
    row('log lines, 50 secrets', best(logLines())),
    row('base64 text, 50 secrets', best(base64Text())),
    row('a secret in every chunk, 50 secrets', best(withSecrets(logLines(), secrets))),
    row('between two pipes, 50 secrets', await pipeSpeed(megabytes)),
  ];
}
