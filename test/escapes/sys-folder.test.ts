import { wayOut } from '../support/escape.ts';
import { noMount, withPlan } from '../support/escape-off.ts';

const OPEN = `
import os
for folder, folders, files in os.walk('/sys'):
    for name in files:
        try:
            os.close(os.open(os.path.join(folder, name), os.O_WRONLY | os.O_NOFOLLOW | os.O_NONBLOCK))
            print('LEAKED', folder, name)
            break
        except OSError: pass
    if folder.count('/') > 4: folders.clear()
`;

wayOut('steering the kernel through /sys', {
  probe: () => ({ python: OPEN }),
  off: {
    root: withPlan('the read-only /sys', noMount('/sys')),
    'cordon-test': 'these files belong to root, which an ordinary user is not inside either',
  },
});
