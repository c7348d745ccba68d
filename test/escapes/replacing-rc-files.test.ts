import { REPLACED_START_UP_FILE } from '../../src/prove/probes/planting/shells.ts';
import { wayOut } from '../support/escape.ts';
import { FS_ALL } from '../support/escape-off.ts';

wayOut(REPLACED_START_UP_FILE, { off: FS_ALL });
