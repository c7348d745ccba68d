import { wayOut } from '../support/escape.ts';
import { FS_ALL } from '../support/escape-off.ts';
import { connectTo } from '../support/escape-probes.ts';

const PLACES = ['.gnupg/S.gpg-agent', '.gnupg/S.gpg-agent.ssh', 'elsewhere/S.gpg-agent'];

wayOut('the sockets of the GPG agent, in ~/.gnupg and where GNUPGHOME says', {
  plant: async (scene) => {
    for (const place of PLACES) await scene.listen(place);
  },
  env: ({ home }) => ({ GNUPGHOME: `${home}/elsewhere` }),
  probe: ({ home }) => ({ python: PLACES.map((place) => connectTo(`${home}/${place}`)).join('') }),
  off: FS_ALL,
});
