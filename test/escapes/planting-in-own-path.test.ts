import { wayOut } from '../support/escape.ts';
import { planting } from '../support/escape-planted.ts';

const way = planting({ existing: ['go/bin/tool'], places: ['go/bin/node', 'go/bin/tool'] });

wayOut('planting a program in a folder that PATH names', {
  ...way,
  env: ({ home }) => ({ PATH: `${home}/go/bin:/usr/local/bin:/usr/bin:/bin` }),
});
