import { wayOut } from '../support/escape.ts';
import { KEEP_CAPABILITIES, NO_SECCOMP, withPlan } from '../support/escape-off.ts';
import { SYSCALL } from '../support/escape-probes.ts';
import type { Scene } from '../support/escape-scene.ts';

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

wayOut('opening a hidden file by its handle', {
  plant: async (scene) => {
    const { ready } = await scene.process(['python3', '-c', TAKE, scene.file('.ssh/id_rsa')], {
      PATH: '/usr/bin:/bin',
    });
    handles.set(scene, ready);
  },
  probe: (scene) => ({ python: OPEN(handles.get(scene) ?? '', scene.home) }),
  off: {
    root: withPlan('--cap-drop ALL and the system call filter', KEEP_CAPABILITIES, NO_SECCOMP),
    'cordon-test': 'needs a capability over the whole machine',
  },
});
