import {
  ABSENT_START_UP_FILES,
  FISH_FILES,
  START_UP_FILES,
  TAKEN_IN_FILES,
  ZSH_FOLDER,
} from '../../src/prove/probes/planting/shells.ts';
import { wayOut } from '../support/escape.ts';
import { FS_ALL } from '../support/escape-off.ts';

wayOut(START_UP_FILES, { off: FS_ALL });
wayOut(ABSENT_START_UP_FILES, { off: FS_ALL });
wayOut(TAKEN_IN_FILES, { off: FS_ALL });
wayOut(FISH_FILES, { off: FS_ALL });
wayOut(ZSH_FOLDER, { off: FS_ALL });
