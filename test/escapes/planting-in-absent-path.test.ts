import { planting } from '../../prove/probes/planting/planting.ts';
import { wayOut } from '../support/escape.ts';
import { FS_ALL } from '../support/escape-off.ts';

wayOut(
  {
    title: 'making a folder that PATH names first and that is not there yet',
    ...planting({ places: ['tools/bin/git'] }),
    env: ({ home }) => ({ PATH: `${home}/tools/bin:/usr/local/bin:/usr/bin:/bin` }),
  },
  { off: FS_ALL },
);
