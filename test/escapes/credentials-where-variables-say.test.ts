import { IN_MOVED_FOLDERS, WHERE_VARIABLES_SAY } from '../../src/prove/probes/files/elsewhere.ts';
import { wayOut } from '../support/escape.ts';
import { FS_ALL } from '../support/escape-off.ts';

wayOut(WHERE_VARIABLES_SAY, { off: FS_ALL });
wayOut(IN_MOVED_FOLDERS, { off: FS_ALL });
