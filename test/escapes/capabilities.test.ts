import { wayOut } from '../support/escape.ts';
import { KEEP_CAPABILITIES, withPlan } from '../support/escape-off.ts';

wayOut('using or regaining capabilities', {
  probe: () => ({
    sh: `
for set in CapInh CapPrm CapEff CapAmb; do
  grep "^$set:" /proc/self/status | grep -qv 0000000000000000 && echo "LEAKED $set"
done
mount -t tmpfs tmpfs /mnt && echo LEAKED mount
mknod /tmp/cordon-null-$$ c 1 3 && { echo LEAKED mknod; rm /tmp/cordon-null-$$; }
su root -c 'cat /etc/shadow' < /dev/null 2>/dev/null | grep -q . && echo LEAKED su`,
  }),
  off: {
    root: withPlan('--cap-drop ALL', KEEP_CAPABILITIES),
    'cordon-test': 'has none to begin with: see set-user-id',
  },
});
