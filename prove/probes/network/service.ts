import { readFileSync } from 'node:fs';
import type { Scene } from '../../scene.ts';

/** A service of the user's that notes what it is told in a file and answers with the canary. */
const SERVICE = `
import socket, sys
family, kind, address, note, canary = sys.argv[1:]
server = socket.socket(getattr(socket, family), getattr(socket, kind))
server.bind((address, 0))
open(note, 'w').close()
if kind == 'SOCK_STREAM': server.listen()
print(server.getsockname()[1], flush=True)
while True:
    try:
        if kind == 'SOCK_DGRAM': told, peer = server.recvfrom(4096)
        else:
            peer = server.accept()[0]
            told = peer.recv(4096)
        with open(note, 'ab') as file: file.write(told)
        if kind == 'SOCK_DGRAM': server.sendto(canary.encode(), peer)
        else:
            peer.sendall(canary.encode())
            peer.close()
    except OSError: pass
`;

type Family = 'AF_INET' | 'AF_INET6';
type Kind = 'SOCK_STREAM' | 'SOCK_DGRAM';

const ports = new WeakMap<Scene, string>();
export const noteOf = (scene: Scene) => scene.path('received');

export const service = (family: Family, kind: Kind, address: string) => async (scene: Scene) => {
  const argv = ['python3', '-c', SERVICE, family, kind, address, noteOf(scene), scene.canary];
  ports.set(scene, (await scene.process(argv)).ready);
};

export const portOf = (scene: Scene) => Number(ports.get(scene));

/** Everything the service was told. */
export const received = (scene: Scene) => readFileSync(noteOf(scene), 'latin1');

/** Python that tells a service something, given as an expression, and prints its answer. */
export const tell = (scene: Scene, family: Family, kind: Kind, address: string, said = "b'hello'") => `
import socket
try:
    s = socket.socket(socket.${family}, socket.${kind})
    s.settimeout(5)
    s.connect(('${address}', ${portOf(scene)}))
    s.sendall(${said})
    print(s.recv(1000).decode())
except OSError as error: print(error)
`;
