import { wayOut } from '../support/escape.ts';
import { BUBBLEWRAP_ALONE } from '../support/escape-off.ts';

// Through a folder's descriptor the way leads up and past every mount of the sandbox.
const CLIMB = (home: string) => `
import os
for fd in range(3, 64):
    try: print(os.read(os.open('..' + '${home}/.ssh/id_rsa', os.O_RDONLY, dir_fd=fd), 100).decode())
    except OSError: pass
    try: print(os.read(os.open('id_rsa', os.O_RDONLY, dir_fd=fd), 100).decode())
    except OSError: pass
`;

wayOut('a folder that the parent left open', {
  plant: (scene) => scene.file('.ssh/id_rsa'),
  starter: ({ home }) => ['/bin/sh', '-c', `exec 9<${home}/.ssh; "$@"; exit $?`, 'sh'],
  probe: ({ home }) => ({ python: CLIMB(home) }),
  off: BUBBLEWRAP_ALONE,
});
