import type { Probe } from '../../probe.ts';
import { ENV_FILES_OF_OTHERS } from './projects.ts';

const MANY = 160;

export const BEHIND_MANY_FOLDERS: Probe = {
  id: 'files/behind-many-folders',
  title: '.env files behind more folders than anybody looks through',
  gives: ENV_FILES_OF_OTHERS.gives,
  planted: `${MANY} empty folders, in the home and in a folder of it, and projects with a .env file behind them`,
  tried: 'reading the files',
  reference: ENV_FILES_OF_OTHERS.reference,
  promise: 'credentials',
  plant: (scene) => {
    for (let at = 0; at < MANY; at++) {
      scene.folder(`a${at}`);
      scene.folder(`site/a${at}`);
    }
    scene.file('site/.env');
    scene.file('site/zz/.env');
    scene.file('zz/.env');
  },
  trial: () => ({ sh: 'cd ~; cat site/.env site/zz/.env zz/.env' }),
};
