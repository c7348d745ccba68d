import type { Probe } from '../../probe.ts';
import type { Scene } from '../../scene.ts';
import { SYSCALL } from '../../scripts.ts';
import { onlyRoot } from './only-root.ts';

const READ_DISKS = `
import os, stat
for name in os.listdir('/dev'):
    path = '/dev/' + name
    if stat.S_ISBLK(os.lstat(path).st_mode):
        try:
            os.read(os.open(path, os.O_RDONLY), 16)
            print('LEAKED', path)
        except OSError as error: print(path, error)
root = os.stat('/').st_dev
try:
    os.mknod('disk', 0o600 | stat.S_IFBLK, root)
    os.read(os.open('disk', os.O_RDONLY), 16)
    print('LEAKED by mknod')
except OSError as error: print(error)
`;

export const DISKS: Probe = {
  id: 'kernel/disks',
  title: 'reading the disk itself, past all files',
  gives: 'every file of every user, deleted ones too',
  planted: 'nothing: the first bytes of the disks are read and not shown',
  tried: 'opening block devices in /dev, and one made with mknod',
  reference: 'https://attack.mitre.org/techniques/T1006/',
  promise: 'processes',
  inapplicable: onlyRoot('disks belong to root'),
  trial: () => ({ python: READ_DISKS }),
};

const handles = new WeakMap<Scene, string>();

const TAKE = `
${SYSCALL}
import sys
handle = ctypes.create_string_buffer((128).to_bytes(4, 'little'), 136)
call(303, 264, -100, ctypes.c_char_p(sys.argv[1].encode()), handle, ctypes.byref(ctypes.c_int()), 0)
print(handle.raw.hex())
`;

// A file's handle is its inode number in disguise: it opens the file itself, past what is mounted over its name.
const OPEN = (handle: string, home: string) => `
${SYSCALL}
handle = ctypes.create_string_buffer(bytes.fromhex('${handle}'))
for folder in ('/', '${home}', '${home}/work', '/usr'):
    result = call(304, 265, os.open(folder, os.O_RDONLY), handle, 0)
    print(folder, result)
    if result >= 0: print(os.read(result, 100).decode())
`;

export const FILE_HANDLES: Probe = {
  id: 'kernel/file-handles',
  title: 'opening a hidden file by its handle',
  gives: 'every file of the file system, whatever is mounted over its name',
  planted: '~/.ssh/id_rsa, and its handle',
  tried: 'open_by_handle_at from several folders',
  reference: 'https://man7.org/linux/man-pages/man2/open_by_handle_at.2.html',
  promise: 'credentials',
  inapplicable: onlyRoot('it takes a capability over the whole machine'),
  plant: async (scene) => {
    const { stdout } = await scene.command(['python3', '-c', TAKE, scene.file('.ssh/id_rsa')]);
    handles.set(scene, stdout.trim());
  },
  trial: (scene) => ({ python: OPEN(handles.get(scene) ?? '', scene.home) }),
};

const ENTER = (key: string) => `
${SYSCALL}
for pid in filter(str.isdigit, os.listdir('/proc')):
    try:
        if open(f'/proc/{pid}/cmdline').read().split('\\0')[-2:-1] != ['${key}']: continue
        print(call(308, 268, os.open(f'/proc/{pid}/ns/mnt', os.O_RDONLY), 0))
        print(open('${key}').read())
    except OSError as error: print(error)
`;

export const ENTERING: Probe = {
  id: 'kernel/entering-namespaces',
  title: 'entering the namespaces of a process outside',
  gives: 'the world outside the sandbox, with all its files',
  planted: 'a process outside, and ~/.ssh/id_rsa',
  tried: 'setns to its mount namespace, then reading the key',
  reference: 'https://man7.org/linux/man-pages/man2/setns.2.html',
  promise: 'processes',
  inapplicable: onlyRoot('it takes a capability over the whole machine'),
  plant: (scene) => scene.process(['/bin/sh', '-c', 'echo ready; read line', scene.file('.ssh/id_rsa')]),
  trial: (scene) => ({ python: ENTER(scene.path('.ssh/id_rsa')) }),
};
