import { SEARCH_PATH } from '../../src/prove/probes/planting/programs.ts';
import { wayOut } from '../support/escape.ts';
import { FS_ALL } from '../support/escape-off.ts';

wayOut(SEARCH_PATH, { off: FS_ALL });
