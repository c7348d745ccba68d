import { wayOut } from '../support/escape.ts';
import { planting } from '../support/escape-planted.ts';

wayOut(
  'planting a program that the shell finds by its name',
  planting({ existing: ['bin/tool'], places: ['.local/bin/ls', 'bin/ls', 'bin/tool'] }),
);
