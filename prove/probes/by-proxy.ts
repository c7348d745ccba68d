/**
 * Python: `by_proxy(name, port)` is a connection through the proxy that the environment names, for launchers whose commands reach hosts in no
 * other way; `at_proxy()` is where that proxy is, with the line that logs in to it.
 */
export const BY_PROXY = `
import base64, os, socket, urllib.parse
def at_proxy():
    for key in ('HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'):
        url = urllib.parse.urlsplit(os.environ.get(key, ''))
        if not url.hostname: continue
        login = ':'.join(urllib.parse.unquote(one or '') for one in (url.username, url.password))
        line = 'Proxy-Authorization: Basic ' + base64.b64encode(login.encode()).decode() + '\\r\\n' if url.username else ''
        return (url.hostname, url.port or 80), line
    return None, ''
def by_proxy(name, port):
    place, login = at_proxy()
    if place is None: raise OSError('there is no proxy')
    s = socket.create_connection(place, 10)
    s.sendall(f'CONNECT {name}:{port} HTTP/1.1\\r\\nHost: {name}:{port}\\r\\n{login}\\r\\n'.encode())
    head = b''
    while not head.endswith(b'\\r\\n\\r\\n'):
        more = s.recv(1)
        if not more: break
        head += more
    if head.split(b' ')[1:2] == [b'200']: return s
    s.close()
    raise OSError('the proxy leads nowhere')
`;
