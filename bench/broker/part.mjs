// One of the two processes beside the client: `server` answers over TLS, `broker` stands before it. Settings come over stdin, the port goes out.
import http from 'node:http';
import net from 'node:net';
import tls from 'node:tls';
import { writeBody } from './bodies.mjs';

function answer(req, res) {
  if (req.method === 'POST') {
    req.on('data', () => undefined).once('end', () => res.end('{"ok":true}'));
    return;
  }
  const megabytes = Number(new URL(req.url, 'https://x').searchParams.get('megabytes') ?? 0);
  if (req.url === '/events') {
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    res.write('data: first\n\n');
    setTimeout(() => res.end('data: last\n\n'), 5);
    return;
  }
  if (megabytes === 0) return void res.end('{"ok":true}');
  res.writeHead(200, { 'content-length': megabytes << 20 });
  writeBody(res, megabytes << 20);
}

/** With a value it answers only who sends that. */
async function serverFor({ leaf, value }) {
  const plain = http.createServer((req, res) => {
    if (value === undefined || req.headers.authorization === `Bearer ${value}`) answer(req, res);
    else res.writeHead(401).end('who are you?');
  });
  return tls.createServer({ ...leaf, ALPNProtocols: ['http/1.1'] }, (socket) => {
    socket.setNoDelay(true);
    socket.on('error', () => undefined);
    plain.emit('connection', socket);
  });
}

async function brokerFor({ settings, dialled, port }) {
  const { Broker } = await import('../../src/broker/broker.ts');
  const broker = new Broker({ ...settings, record: () => undefined });
  const connect = () =>
    new Promise((resolve, reject) => {
      const socket = net.connect(port, '127.0.0.1', () => resolve(socket));
      socket.once('error', reject);
    });
  return net.createServer({ noDelay: true }, (client) => broker.take(client, dialled, connect));
}

process.once('message', async (settings) => {
  const server = await (process.argv[2] === 'server' ? serverFor(settings) : brokerFor(settings));
  server.listen(0, '127.0.0.1', 1024, () => process.send({ port: server.address().port }));
});
process.once('disconnect', () => process.exit());
