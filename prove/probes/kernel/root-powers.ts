import type { Probe } from '../../probe.ts';
import { SYSCALL } from '../../scripts.ts';
import { onlyRoot } from './only-root.ts';

const CAPABILITIES_PAGE = 'https://man7.org/linux/man-pages/man7/capabilities.7.html';

export const CAPABILITIES: Probe = {
  id: 'kernel/capabilities',
  title: 'using or regaining capabilities',
  gives: 'the powers of root over the machine: mounts, devices, networks, other users',
  planted: 'nothing: root has them',
  tried: 'looking for them in /proc/self/status, mounting, making a device, su',
  reference: CAPABILITIES_PAGE,
  promise: 'processes',
  inapplicable: onlyRoot('an ordinary user has none to begin with'),
  trial: () => ({
    sh: `
for set in CapInh CapPrm CapEff CapAmb; do
  grep "^$set:" /proc/self/status | grep -qv 0000000000000000 && echo "LEAKED $set"
done
unshare --mount --propagation private mount -t tmpfs tmpfs /mnt && echo LEAKED mount
mknod null c 1 3 && { echo LEAKED mknod; rm null; }
su root -c 'cat /etc/shadow' < /dev/null 2>/dev/null | grep -q . && echo LEAKED su`,
  }),
};

// Nothing in these is a module or an order: who may call them at all learns that the text is bad. EPERM comes first for the others.
const ASK = `
${SYSCALL}
calls = {
    'init_module': (175, 105, ctypes.c_char_p(b'no module'), 9, ctypes.c_char_p(b'')),
    'reboot': (169, 142, 0, 0, 0, 0),
    'swapon': (167, 224, ctypes.c_char_p(b'/no/such/file'), 0),
}
for name, (x64, arm, *args) in calls.items():
    result = call(x64, arm, *args)
    print(name, result, 'refused' if result in (-1, -38) else 'LEAKED')
`;

export const MACHINE: Probe = {
  id: 'kernel/machine',
  title: 'loading modules and switching the machine off',
  gives: 'the kernel, and with it everything',
  planted: 'nothing: the calls are made with arguments that are refused in any case',
  tried: 'init_module, reboot and swapon',
  reference: CAPABILITIES_PAGE,
  promise: 'processes',
  inapplicable: onlyRoot('they are for root'),
  trial: () => ({ python: ASK }),
};

export const PACKETS: Probe = {
  id: 'kernel/packets',
  title: 'listening to all traffic of the machine',
  gives: 'whatever goes over its networks unencrypted, the loopback included',
  planted: 'nothing: the socket is opened and nothing is read',
  tried: 'opening a packet socket',
  reference: 'https://man7.org/linux/man-pages/man7/packet.7.html',
  promise: 'processes',
  inapplicable: onlyRoot('packet sockets are for root'),
  trial: () => ({
    python: `
import socket
try: print('LEAKED', socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 3))
except OSError as error: print(error)`,
  }),
};
