import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import net from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { closeAll, inside, listening, processOutside, sceneOf } from './support.ts';

afterEach(closeAll);

const USER = 'cordon-test';

it('a thousand connections at once, each with its own answer', async () => {
  const server = net.createServer((socket) => socket.on('error', () => socket.destroy()).pipe(socket));
  const script = `node -e "
    const net = require('net'); let done = 0, open = [];
    for (let i = 0; i < 1000; i++) {
      const s = net.connect(7777, 'many.example.com'); open.push(s);
      s.on('connect', () => s.write('n' + i));
      s.on('data', d => { if (String(d) !== 'n' + i) process.exit(3); if (++done === 1000) { console.log('all'); open.forEach(o => o.destroy()); } });
      s.on('error', e => { console.log(e.code); process.exit(2); });
    }"`;
  const ran = await inside(sceneOf(USER), [`many.example.com:7777=127.0.0.1:${await listening(server)}`], script);
  expect(ran.stdout).toBe('all\n');
});

it('a side that has said everything still hears the rest, and nothing is lost', async () => {
  const server = net.createServer({ allowHalfOpen: true }, (socket) => {
    const hash = createHash('sha256');
    socket.on('error', () => socket.destroy());
    socket.on('data', (bytes) => hash.update(bytes)).on('end', () => socket.end(hash.digest('hex')));
  });
  const script = `node -e "
    const net = require('net'), crypto = require('crypto');
    const sent = crypto.createHash('sha256'); let left = 64; const part = Buffer.alloc(1 << 20, 7);
    const s = net.connect({ port: 7777, host: 'half.example.com', allowHalfOpen: true }, () => {
      const go = () => { while (left-- > 0) { sent.update(part); if (!s.write(part)) return s.once('drain', go); } s.end(); }; go(); });
    let got = ''; s.on('data', d => got += d).on('end', () => console.log(got === sent.digest('hex')));"`;
  const ran = await inside(sceneOf(USER), [`half.example.com:7777=127.0.0.1:${await listening(server)}`], script);
  expect(ran.stdout).toBe('true\n');
});

it('a slow reader holds the sender back, not memory', async () => {
  let sent = 0;
  const part = Buffer.alloc(1 << 20);
  const server = net.createServer((socket) => {
    const more = () => {
      while (sent < 512 << 20) {
        sent += part.length;
        if (!socket.write(part)) return socket.once('drain', more);
      }
      return socket.end();
    };
    socket.on('error', () => socket.destroy());
    more();
  });
  // Reads nothing for a while: the sender must have come to a stop long before its end.
  const script = `node -e "
    const s = require('net').connect(7777, 'slow.example.com'); s.once('readable', () => setTimeout(() => { s.destroy(); console.log('done') }, 1500));"`;
  const ran = await inside(sceneOf(USER), [`slow.example.com:7777=127.0.0.1:${await listening(server)}`], script);
  expect(ran.stdout).toBe('done\n');
  expect(sent).toBeLessThan(128 << 20);
});

it('ten gigabytes go through it whole, and it stays as small as it was', { timeout: 400_000 }, async () => {
  const scene = sceneOf(USER);
  const [part, total] = [Buffer.alloc(1 << 20, 7), 10 * 2 ** 30];
  let highest = 0;
  const server = net.createServer((socket) => {
    let sent = 0;
    const more = () => {
      while (sent < total) {
        sent += part.length;
        if (!socket.write(part)) return void socket.once('drain', more);
      }
    };
    socket.on('error', () => socket.destroy());
    // Said once all of it has arrived.
    socket.once('data', () => {
      highest = mostMemoryOf(processOutside(scene.home));
      socket.end();
    });
    more();
  });
  const script = `node -e "
    const s = require('net').connect(7777, 'large.example.com'); let got = 0;
    s.on('data', (bytes) => { got += bytes.length; if (got === ${total}) s.write('all\\n'); }).on('end', () => console.log(got));"`;
  const ran = await inside(scene, [`large.example.com:7777=127.0.0.1:${await listening(server)}`], script);
  expect(ran.stdout, ran.stderr).toBe(`${total}\n`);
  expect(highest).toBeGreaterThan(0);
  expect(highest).toBeLessThan(160 << 20);
});

const mostMemoryOf = (pid: number) =>
  1024 * Number(/^VmHWM:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0);
