import { wayOut } from '../support/escape.ts';
import { FILTER } from '../support/escape-off.ts';

const OWN = [
  '.config/cordon/secrets.yaml',
  '.config/cordon/identity.txt',
  '.config/cordon/vault.age',
  '.config/cordon/users/ada/secrets.yaml',
];

for (const preset of ['all', 'guarded', 'workspace', 'minimal'])
  wayOut(`reading Cordon's vault and secrets with the preset ${preset}`, {
    plant: (scene) => OWN.map((place) => scene.file(place)),
    flags: ['--fs', preset],
    probe: ({ home }) => ({ sh: `cat ${OWN.map((place) => `${home}/${place}`).join(' ')}; grep -rs canary ${home}` }),
    off: FILTER,
  });
