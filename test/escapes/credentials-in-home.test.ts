import { wayOut } from '../support/escape.ts';
import { FS_ALL } from '../support/escape-off.ts';

const PLACES = [
  '.ssh/id_ed25519',
  '.aws/credentials',
  '.netrc',
  '.config/gh/hosts.yml',
  '.npmrc',
  '.kube/config',
  '.docker/config.json',
];

wayOut('reading credential files in $HOME', {
  plant: (scene) => PLACES.map((place) => scene.file(place)),
  probe: () => ({ sh: PLACES.map((place) => `cat ~/${place} 2>&1`).join('\n') }),
  off: FS_ALL,
});
