import { readFileSync } from 'node:fs';
import type { Probe } from '../../probe.ts';
import type { Scene } from '../../scene.ts';

const LEFT_OPEN = 'https://cwe.mitre.org/data/definitions/403.html';
const OPEN = 'https://man7.org/linux/man-pages/man2/open.2.html';
const READ = 'cat <&9; cat /proc/$PPID/fd/9';

/** A shell that opens something as descriptor 9 and stays. */
const holding = (path: string, more = '') => ['/bin/sh', '-c', `exec 9<${path}; ${more}"$@"; exit $?`, 'sh'];

export const FILE: Probe = {
  id: 'descriptors/file',
  title: 'a file with credentials that the caller left open',
  gives: 'the file, however well its name is hidden',
  planted: 'a private key that the calling shell has open as descriptor 9',
  tried: 'reading descriptor 9',
  reference: LEFT_OPEN,
  promise: 'processes',
  plant: (scene) => scene.file('.ssh/id_rsa'),
  starter: (scene) => holding(scene.path('.ssh/id_rsa')),
  trial: () => ({ sh: READ }),
};

export const DELETED_FILE: Probe = {
  id: 'descriptors/deleted-file',
  title: 'a file that the caller left open and deleted',
  gives: 'what was meant to be gone: a here-document, a temporary file with a password',
  planted: 'a deleted file that the calling shell has open as descriptor 9',
  tried: 'reading descriptor 9, and that of the parent',
  reference: LEFT_OPEN,
  promise: 'processes',
  plant: (scene) => scene.file('opened'),
  starter: (scene) => holding(scene.path('opened'), `rm ${scene.path('opened')}; `),
  trial: () => ({ sh: READ }),
};

// Through a folder's descriptor the way leads up and past every mount of the sandbox.
const CLIMB = ({ home }: Scene) => `
import os
for fd in range(3, 64):
    for path in ('id_rsa', '../../../../../..${home}/.ssh/id_rsa'):
        try: print(os.read(os.open(path, os.O_RDONLY, dir_fd=fd), 100).decode())
        except OSError: pass
`;

export const FOLDER: Probe = {
  id: 'descriptors/folder',
  title: 'a folder that the caller left open',
  gives: 'the whole tree as it is outside, past everything that is mounted over it',
  planted: '~/.ssh, which the calling shell has open as descriptor 9',
  tried: 'opening files from there, and upwards with ..',
  reference: OPEN,
  promise: 'processes',
  plant: (scene) => scene.file('.ssh/id_rsa'),
  starter: (scene) => holding(scene.path('.ssh')),
  trial: (scene) => ({ python: CLIMB(scene) }),
};

const LOOK_AT_PROCESSES = (pid: string) => `
import os, re
for fd in range(3, 64):
    try: print(re.findall(rb'canary-[-0-9a-f]{36}', os.read(os.open('${pid}/environ', os.O_RDONLY, dir_fd=fd), 9999)))
    except OSError: pass
`;

const numbers = new WeakMap<Scene, number>();

export const PROC_FOLDER: Probe = {
  id: 'descriptors/proc',
  title: 'the folder /proc of the host that the caller left open',
  gives: 'the environment of every process of the user, although the command has a /proc of its own',
  planted: '/proc, which the calling shell has open as descriptor 9, and a process with a secret',
  tried: 'opening PID/environ from there',
  reference: OPEN,
  promise: 'processes',
  plant: async (scene) => {
    numbers.set(scene, (await scene.process(undefined, { API_TOKEN: scene.canary })).pid);
  },
  starter: () => holding('/proc'),
  trial: (scene) => ({ python: LOOK_AT_PROCESSES(String(numbers.get(scene))) }),
};

/** A start-up file that a shell of the user's reads later. */
const GIVEN = '.bashrc';

export const GIVEN_TO_READ: Probe = {
  id: 'descriptors/given-to-read',
  title: 'writing to a file that was given as standard input',
  gives: "a line of the command's choosing in whatever file it was given to read, a start-up file or a script",
  planted: '~/.bashrc as standard input, opened to be read',
  tried: 'opening /proc/self/fd/0 once more, to write',
  reference: 'https://man7.org/linux/man-pages/man5/proc_pid_fd.5.html',
  promise: 'planting',
  plant: (scene) => scene.file(GIVEN, '# nothing yet\n'),
  starter: (scene) => ['/bin/sh', '-c', `exec <${scene.path(GIVEN)}; "$@"; exit $?`, 'sh'],
  trial: ({ canary }) => ({ sh: `echo '# ${canary}' >>/proc/self/fd/0; chmod 777 /proc/self/fd/0` }),
  worked: (scene) => readFileSync(scene.path(GIVEN), 'utf8').includes(scene.canary),
};

export const BEYOND_1000: Probe = {
  id: 'descriptors/beyond-1000',
  title: 'a descriptor with a number that nobody counts up to',
  gives: 'whatever is open there, where a launcher closes only the first few',
  planted: 'a deleted file that the caller has open as descriptor 2500',
  tried: 'reading descriptor 2500',
  reference: 'https://man7.org/linux/man-pages/man2/close_range.2.html',
  promise: 'processes',
  plant: (scene) => scene.file('opened'),
  starter: (scene) => ['python3', '-c', HOLD_FAR, scene.path('opened')],
  trial: () => ({
    python: `import os\ntry: print(os.read(2500, 100).decode())\nexcept OSError as error: print(error)`,
  }),
};

const HOLD_FAR = `
import os, resource, sys
soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 4096)), hard))
os.dup2(os.open(sys.argv[1], os.O_RDONLY), 2500)
os.unlink(sys.argv[1])
os.execvp(sys.argv[2], sys.argv[2:])
`;
