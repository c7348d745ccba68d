import { wayOut } from '../support/escape.ts';
import { planting } from '../support/escape-planted.ts';

wayOut(
  'letting someone in, or running code at the next ssh, where there was no ~/.ssh',
  planting({ places: ['.ssh/authorized_keys', '.ssh/config'] }),
);
