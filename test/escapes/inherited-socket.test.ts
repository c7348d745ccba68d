import { wayOut } from '../support/escape.ts';
import { BUBBLEWRAP_ALONE } from '../support/escape-off.ts';

// A connection to a daemon that is already logged in: the other end waits with its answer until it is asked.
const LOGGED_IN = `
import os, socket, sys
mine, theirs = socket.socketpair()
if os.fork() == 0:
    theirs.close()
    while question := mine.recv(100): mine.sendall(sys.argv[1].encode())
    os._exit(0)
mine.close()
os.dup2(theirs.fileno(), 8)
os.execvp(sys.argv[2], sys.argv[2:])
`;

const ASK = `
import os, socket
for fd in range(3, 64):
    try:
        s = socket.socket(fileno=fd)
        s.sendall(b'?')
        print(s.recv(100).decode())
    except OSError: pass
`;

wayOut('a connected socket that the parent left open', {
  starter: ({ canary }) => ['python3', '-c', LOGGED_IN, canary],
  probe: () => ({ python: ASK }),
  off: BUBBLEWRAP_ALONE,
});
