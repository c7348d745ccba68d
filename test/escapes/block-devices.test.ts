import { wayOut } from '../support/escape.ts';
import { instead, withPlan } from '../support/escape-off.ts';

const READ = `
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

wayOut('reading the disk itself, past all files', {
  probe: () => ({ python: READ }),
  off: {
    root: withPlan('the private /dev', instead('sandbox --dev /dev', 'sandbox --dev-bind /dev /dev')),
    'cordon-test': 'disks belong to root',
  },
});
