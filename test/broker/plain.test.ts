import http from 'node:http';
import net from 'node:net';
import { expect, test } from 'vitest';
import { frontOf, listening, NAME } from './support.ts';

const ANSWER = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\nhi';

test('a plain connection that was kept and that the server ended is not asked again', async () => {
  const ended: Promise<void>[] = [];
  // Says that it keeps the connection, ends its side of it, and never answers a second request on it.
  const server = net.createServer({ allowHalfOpen: true }, (socket) => {
    ended.push(new Promise((resolve) => socket.once('end', resolve)));
    socket.once('data', () => socket.end(ANSWER)).on('error', () => socket.destroy());
    socket.on('end', () => socket.destroy());
  });
  const port = await listening(server);
  // As connections to hosts are opened: each way may end by itself.
  const dial = () =>
    new Promise<net.Socket>((resolve) => {
      const socket = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () => resolve(socket));
    });
  const front = await frontOf(dial, { dialled: { name: NAME, port: 80 } });
  const ask = () =>
    new Promise((resolve, reject) => {
      http
        .get({ port: front.port, headers: { host: NAME } }, (res) => resolve(res.resume().statusCode))
        .once('error', reject);
    });
  expect(await ask()).toBe(200);
  await ended[0];
  expect(await ask()).toBe(200);
  expect(ended).toHaveLength(2);
});
