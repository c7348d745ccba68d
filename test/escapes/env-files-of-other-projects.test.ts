import { wayOut } from '../support/escape.ts';
import { FS_ALL } from '../support/escape-off.ts';

wayOut('.env files of other projects', {
  plant: (scene) => [scene.file('code/shop/.env'), scene.file('code/.envrc'), scene.file('.env.local')],
  probe: ({ home }) => ({ sh: `cat ${home}/code/shop/.env ${home}/code/.envrc ${home}/.env.local` }),
  off: FS_ALL,
});
