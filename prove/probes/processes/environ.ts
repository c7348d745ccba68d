import type { Probe } from '../../probe.ts';
import { SHOW, seeking, standIn } from './stand-in.ts';

const PROC_ENVIRON = 'https://man7.org/linux/man-pages/man5/proc_pid_environ.5.html';
const OTHERS = 'the secrets of everything else the user runs: editors, servers, other shells';

export const ENVIRON_OF_PARENT: Probe = {
  id: 'processes/environ-of-parent',
  title: 'reading the environment of the parent from /proc',
  gives: 'every secret of the shell that started the command, although the command was started without them',
  planted: 'a secret in the environment of the calling shell',
  tried: 'reading /proc/PPID/environ and, where a launcher stands between, that of its parent',
  reference: PROC_ENVIRON,
  promise: 'processes',
  env: ({ canary }) => ({ API_TOKEN: canary }),
  trial: () => ({
    sh: 'look() { grep -ao "canary-[-0-9a-f]*" /proc/$1/environ; }; look $PPID || look "$(cut -d" " -f4 /proc/$PPID/stat)"',
  }),
};

// Up from parent to parent, and no further than the first that has one.
const CLIMB = `
import os
${SHOW}
pid = os.getppid()
while pid:
    try:
        if show(open(f'/proc/{pid}/environ', 'rb').read()): break
    except OSError as error: print(pid, error)
    pid = int(open(f'/proc/{pid}/stat').read().rpartition(') ')[2].split()[1])
`;

export const ENVIRON_OF_ANCESTORS: Probe = {
  id: 'processes/environ-of-ancestors',
  title: 'reading the environments of all ancestors from /proc',
  gives: 'the secrets of every shell and program above, up to the login',
  planted: 'a secret in the environment of the grandparent alone',
  tried: 'climbing from parent to parent and reading each environ',
  reference: PROC_ENVIRON,
  promise: 'processes',
  starter: ({ canary }) => [
    ...['/usr/bin/env', `API_TOKEN=${canary}`],
    ...['/bin/sh', '-c', 'env -u API_TOKEN "$@"; exit $?', 'sh'],
  ],
  trial: () => ({ python: CLIMB }),
};

export const ENVIRON_OF_LAUNCHER: Probe = {
  id: 'processes/environ-of-launcher',
  title: 'reading the environment that the sandbox was started with from its first process',
  gives: 'every variable that the sandbox cleared for the command and kept for itself',
  planted: 'a secret in the environment of the caller',
  tried: 'reading environ of process 1, of its threads and of all ancestors',
  reference: 'https://github.com/containers/bubblewrap/blob/main/bwrap.xml',
  promise: 'processes',
  env: ({ canary }) => ({ API_TOKEN: canary }),
  trial: () => ({ python: `${CLIMB}\nfor at in ('1', '1/task/1'):${READ_AT}` }),
};

const READ_AT = `
    try: show(open(f'/proc/{at}/environ', 'rb').read())
    except OSError as error: print(error)
`;

export const ENVIRON_OF_OTHERS: Probe = {
  id: 'processes/environ-of-others',
  title: 'reading the environment of any other process of the user',
  gives: OTHERS,
  planted: 'a process of the user that has a secret in its environment',
  tried: 'finding it in /proc and reading its environ',
  reference: PROC_ENVIRON,
  promise: 'processes',
  plant: (scene) => standIn(scene, undefined, { API_TOKEN: scene.canary }),
  trial: (scene) => ({ python: `${seeking(scene)}\nfor at in stand_ins():${READ_AT}` }),
};

export const ENVIRON_BY_THREAD: Probe = {
  id: 'processes/environ-by-thread',
  title: 'reading an environment by the number of a thread',
  gives: `${OTHERS}, where only the numbers of processes are guarded`,
  planted: 'a process of the user that has a secret in its environment',
  tried: 'reading /proc/PID/task/TID/environ and /proc/TID/environ, which no listing shows',
  reference: 'https://man7.org/linux/man-pages/man5/proc_pid_task.5.html',
  promise: 'processes',
  plant: (scene) => standIn(scene, undefined, { API_TOKEN: scene.canary }),
  trial: (scene) => ({
    python: `${seeking(scene)}\nfor pid in stand_ins():\n  for tid in os.listdir(f'/proc/{pid}/task'):\n   for at in (tid, f'{pid}/task/{tid}'):${READ_AT}`,
  }),
};
