import { readFileSync } from 'node:fs';
import type { Probe } from '../../probe.ts';
import type { Scene } from '../../scene.ts';
import { BY_PROXY } from '../by-proxy.ts';
import { newCertificate } from './certificate.ts';

export const TOKEN = 'CORDON_PROVE_TOKEN';
/** The host that may have the value, and one that may not but can be reached. Servers on the loopback stand in for them. */
export const ALLOWED = 'api.example.test';
export const OTHER = 'other.example.test';
const OTHER_PORT = 8443;
/** Of a service whose addresses that hand out tokens are known. */
export const MINTING = 'api.github.com';

/**
 * One server for all names. It notes all that it is told, except for requests to `/proper`, and answers after that. What it does at
 * other paths is what a host might: lead elsewhere, echo, hand out tokens, go on with WebSocket.
 */
const SERVER = `
import base64, gzip, json, os, re, socket, ssl, sys, threading
note, canary = sys.argv[1:]
file = open(note, 'ab', 0)
def context(pem):
    fd = os.memfd_create('certificate')
    os.write(fd, pem)
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.load_cert_chain(f'/proc/self/fd/{fd}')
    os.close(fd)
    made.set_alpn_protocols(['http/1.1'])
    return made
def whole(data):
    head, end, body = data.partition(b'\\r\\n\\r\\n')
    if not end: return False
    length = re.search(rb'\\r\\ncontent-length: *(\\d+)', head, re.I)
    if re.search(rb'\\r\\ntransfer-encoding: *chunked', head, re.I): return re.search(rb'(^|\\r\\n)0\\r\\n(.+\\r\\n)*\\r\\n', body) is not None
    return length is None or len(body) >= int(length[1])
def answer(data):
    path = data.split(b' ')[1] if data.count(b' ') > 1 else b''
    head, body = [], b'ok'
    if path.startswith(b'/redirect'): return b'HTTP/1.1 302 Found\\r\\nLocation: https://${OTHER}/\\r\\nContent-Length: 0\\r\\nConnection: close\\r\\n\\r\\n'
    if path.startswith(b'/app/'): body = json.dumps({'token': os.urandom(4).hex() + canary[::-1]}).encode() # another one each time
    value = re.search(rb'\\r\\nauthorization: *[^ ]+ ([^\\r]*)', data, re.I)
    value = value[1] if value else b''
    form = path.rpartition(b'/')[2]
    if path.startswith(b'/echo/'):
        body = {b'plain': value, b'base64': base64.b64encode(value), b'hex': value.hex().encode(), b'gzip': value,
            b'percent': b''.join(b'%%%02X' % one for one in value), b'header': b'', b'reason': b'', b'json': json.dumps(''.join(map(chr, value))).encode()}[form]
    if form == b'header': head = [b'X-Echo: ' + value]
    if form == b'gzip': head, body = [b'Content-Encoding: gzip'], gzip.compress(body)
    reason = value if form == b'reason' else b'OK'
    if form == b'plain':
        parts = b''.join(b'1\\r\\n%c\\r\\n' % one for one in body)
        return b'HTTP/1.1 200 OK\\r\\nTransfer-Encoding: chunked\\r\\nTrailer: X-Late\\r\\nConnection: close\\r\\n\\r\\n' + parts + b'0\\r\\nX-Late: ' + value + b'\\r\\n\\r\\n'
    return b'\\r\\n'.join([b'HTTP/1.1 200 ' + reason, *head, b'Content-Length: %d' % len(body), b'Connection: close', b'', body])
def talk(plain, contexts):
    try:
        with contexts.wrap_socket(plain, server_side=True) as s:
            data = b''
            while not whole(data):
                more = s.recv(65536)
                if not more: break
                data += more
            if b' /proper' not in data[:40]: file.write(data + b'\\n')
            if b'\\r\\nupgrade: websocket' in data.lower() and b' /app/' not in data[:40]:
                s.sendall(b'HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: websocket\\r\\nConnection: Upgrade\\r\\n\\r\\n')
                while more := s.recv(65536):
                    file.write(more)
                    s.sendall(b'\\x81\\x02ok')
            else: s.sendall(answer(data))
            s.shutdown(socket.SHUT_WR)
            while s.recv(65536): pass
    except OSError: pass
def serve(listener, made):
    while True: threading.Thread(target=talk, args=(listener.accept()[0], made), daemon=True).start()
ports = []
print('ready', flush=True)
for pem in json.loads(sys.stdin.readline()):
    listener = socket.create_server(('127.0.0.1', 0))
    ports.append(listener.getsockname()[1])
    threading.Thread(target=serve, args=(listener, context(pem.encode())), daemon=True).start()
print(json.dumps(ports), flush=True)
threading.Event().wait()
`;

/** Which port of the loopback stands for which place. */
const stages = new WeakMap<Scene, Readonly<Record<string, number>>>();

const PLACES = [
  [ALLOWED, 443],
  [ALLOWED, OTHER_PORT],
  [OTHER, 443],
  [MINTING, 443],
] as const;

/** `impostor`: none of the servers has a certificate that anybody vouches for. */
const raised =
  (impostor = false) =>
  async (scene: Scene): Promise<void> => {
    const names = [...new Set(PLACES.map(([name]) => name))];
    const known = newCertificate(names);
    const { certificate, key } = impostor ? newCertificate(names) : known;
    scene.file('ca.pem', known.certificate, 0o644);
    scene.file('received', '');
    const pems = PLACES.map(() => certificate + key);
    const server = await scene.process(['python3', '-c', SERVER, noteOf(scene), scene.canary]);
    server.say(`${JSON.stringify(pems)}\n`);
    const ports = JSON.parse(await server.next()) as number[];
    stages.set(scene, Object.fromEntries(PLACES.map(([name, port], at) => [`${name}:${port}`, ports[at] as number])));
  };

const portsOf = (scene: Scene) => stages.get(scene) ?? {};
const noteOf = (scene: Scene) => scene.path('received');

/** All that the servers were told where it should not be, with the value in any of the forms that it could have. */
function arrived(scene: Scene): boolean {
  const told = readFileSync(noteOf(scene), 'latin1');
  const joined = told.replace(/\r\n[0-9a-f]+\r\n/gi, '');
  const { canary } = scene;
  const forms = [
    canary,
    ...[0, 1, 2].map((by) =>
      Buffer.from('x'.repeat(by) + canary)
        .toString('base64')
        .slice(4, -4),
    ),
    Buffer.from(canary).toString('hex'),
    [...Buffer.from(canary)].map((one) => `%${one.toString(16)}`).join(''),
    [...canary].map((one) => `\\u00${one.charCodeAt(0).toString(16)}`).join(''),
  ];
  return [told, joined].some((text) => forms.some((form) => text.toLowerCase().includes(form.toLowerCase())));
}

/** A key of the caller that is brokered for a host, and servers that note what comes of it. */
export const brokeredFor = (host: string = ALLOWED, impostor = false) =>
  ({
    gives: 'a key that works anywhere, for as long as it is valid',
    planted: `${TOKEN} of the caller, brokered for one host; servers on the loopback stand in for it and for others`,
    promise: 'broker',
    brokered: { [TOKEN]: host },
    plant: raised(impostor),
    env: (scene: Scene) => ({ [TOKEN]: scene.canary, NODE_EXTRA_CA_CERTS: scene.path('ca.pem') }),
    hosts: (scene: Scene) => Object.entries(portsOf(scene)).map(([place, port]) => `${place}=127.0.0.1:${port}`),
    worked: arrived,
  }) satisfies Partial<Probe>;

/**
 * Python for trials. `ask` says something to a host, by the loopback where nothing is in the way, else by its name, else through a proxy, and
 * gives back what it answers. Each trial first uses the key as it may: one that reaches nobody has shown nothing.
 */
export const client = (scene: Scene, host: string = ALLOWED) => `${BY_PROXY}
import json, ssl, sys
TOKEN, PORTS = os.environ.get('${TOKEN}', ''), json.loads('${JSON.stringify(portsOf(scene))}')
BEARER = 'Authorization: Bearer ' + TOKEN
def dial(name, port, sni, alpn):
    ways = [(socket.create_connection, (place, 10)) for place in (('127.0.0.1', PORTS[f'{name}:{port}']), (name, port))]
    ways.insert(0 if os.environ.get('CORDON_PROVE_FIRST') == 'proxy' else 2, (by_proxy, (name, port)))
    for way, where in ways:
        try: plain = way(*where)
        except OSError: continue
        context = ssl._create_unverified_context()
        if alpn: context.set_alpn_protocols([alpn])
        return context.wrap_socket(plain, server_hostname=sni or name)
    raise OSError('not reached')
def ask(*parts, name='${host}', port=443, sni=None, alpn=None, turns=False, until=lambda heard: False):
    heard = b''
    try:
        with dial(name, port, sni, alpn) as s:
            s.settimeout(10)
            for part in parts:
                s.sendall(part)
                if turns: heard += s.recv(65536)
            while not turns and not until(heard) and (more := s.recv(65536)): heard += more
    except OSError as error: heard += str(error).encode()
    print(heard.decode('latin-1'))
    return heard
def request(path, *headers, body=b'', method='GET', host='${host}', length=True):
    sized = [f'Content-Length: {len(body)}'] if body and length else []
    return '\\r\\n'.join([f'{method} {path} HTTP/1.1', f'Host: {host}', 'Connection: close', *headers, *sized, '', '']).encode() + body
def use():
    if b' 200 ' not in ask(request('/proper', BEARER)): sys.exit('the host that may have it was not reached')
`;
