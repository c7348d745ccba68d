import type { Probe } from '../../probe.ts';
import type { Scene } from '../../scene.ts';
import { removeAfterwards } from '../authority/shared-places.ts';
import { unique } from '../authority/sockets.ts';

/** Files of this user's in folders of all users, and a look at each. */
function sharedFiles(places: (scene: Scene) => readonly string[]): Pick<Probe, 'plant' | 'trial'> {
  return {
    plant: (scene) => {
      for (const place of places(scene)) {
        removeAfterwards(scene, place);
        scene.file(place);
      }
    },
    trial: (scene) => ({ sh: `cat ${places(scene).join(' ')}` }),
  };
}

export const KERBEROS_TICKETS: Probe = {
  id: 'files/kerberos-tickets',
  title: 'tickets of Kerberos',
  gives: 'every service of the company that the user is logged in to, until the ticket ends',
  planted: 'a ticket at /tmp/krb5cc_UID_*',
  tried: 'reading it',
  reference: 'https://web.mit.edu/kerberos/krb5-latest/doc/basic/ccache_def.html',
  promise: 'credentials',
  ...sharedFiles((scene) => [`/tmp/krb5cc_${scene.uid}_${unique(scene)}`]),
};

export const TEMPORARY_FILES: Probe = {
  id: 'files/temporary',
  title: 'temporary files of other programs of the user',
  gives: 'what was saved on the way: an exported key, a dump, a letter that is being written',
  planted: 'files that only the user may read in /tmp, /var/tmp and /dev/shm',
  tried: 'reading them',
  reference: 'https://refspecs.linuxfoundation.org/FHS_3.0/fhs/ch03s18.html',
  promise: 'credentials',
  ...sharedFiles((scene) => ['/tmp', '/var/tmp', '/dev/shm'].map((folder) => `${folder}/export-${unique(scene)}`)),
};
