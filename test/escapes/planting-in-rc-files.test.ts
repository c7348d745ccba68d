import { wayOut } from '../support/escape.ts';
import { planting } from '../support/escape-planted.ts';

const FILES = [
  '.bashrc',
  '.profile',
  '.bash_profile',
  '.bash_login',
  '.bash_logout',
  '.zshrc',
  '.zshenv',
  '.zprofile',
  '.inputrc',
];

wayOut('planting code in start-up files of the shell that are there', planting({ existing: FILES, places: FILES }));
wayOut('planting code in start-up files of the shell that are not there', planting({ places: FILES }));
