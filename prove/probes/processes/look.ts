import type { Probe } from '../../probe.ts';
import { seeking, standIn } from './stand-in.ts';

export const COMMAND_LINES: Probe = {
  id: 'processes/command-lines',
  title: 'reading the command lines of all processes',
  gives: 'passwords and tokens that were typed as arguments',
  planted: 'a process of the user with --password=… on its command line',
  tried: 'reading /proc/*/cmdline',
  reference: 'https://man7.org/linux/man-pages/man5/proc_pid_cmdline.5.html',
  promise: 'processes',
  plant: (scene) => scene.process(['/bin/sh', '-c', 'echo ready; read line', 'login', `--password=${scene.canary}`]),
  trial: () => ({
    sh: 'cat /proc/[0-9]*/cmdline 2>/dev/null | tr "\\0" "\\n" | grep -ao "password=canary-[-0-9a-f]*"',
  }),
};

export const OPEN_FILES: Probe = {
  id: 'processes/open-files',
  title: 'opening what another process has open, through /proc/PID/fd',
  gives: 'files that are deleted, hidden or in memory only, with the rights of whoever opened them',
  planted: 'a process of the user that holds a deleted file with a secret',
  tried: 'opening /proc/PID/fd/9',
  reference: 'https://man7.org/linux/man-pages/man5/proc_pid_fd.5.html',
  promise: 'processes',
  plant: (scene) => standIn(scene, `exec 9<${scene.file('opened')}; rm ${scene.path('opened')}; echo ready; read line`),
  trial: (scene) => ({
    python: `${seeking(scene)}\nfor pid in stand_ins(): show(open(f'/proc/{pid}/fd/9', 'rb').read())`,
  }),
};

export const ROOT_AND_CWD: Probe = {
  id: 'processes/root-and-cwd',
  title: 'going around what is hidden through /proc/PID/root and /proc/PID/cwd',
  gives: 'every file as the world outside the sandbox sees it',
  planted: 'a process of the user that stands in ~/.ssh',
  tried: 'reading the key through its root and its working folder',
  reference: 'https://man7.org/linux/man-pages/man5/proc_pid_root.5.html',
  promise: 'processes',
  plant: (scene) => {
    scene.file('.ssh/id_rsa');
    return standIn(scene, `cd ${scene.path('.ssh')}; echo ready; read line`);
  },
  trial: (scene) => ({ python: seeking(scene) + AROUND(scene.path('.ssh/id_rsa')) }),
};

const AROUND = (key: string) => `
for pid in stand_ins():
    for at in ('root${key}', 'cwd/id_rsa', f'task/{pid}/root${key}', f'task/{pid}/cwd/id_rsa'):
        try: show(open(f'/proc/{pid}/{at}', 'rb').read())
        except OSError as error: print(error)
`;
