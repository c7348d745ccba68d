import { RUNTIME_FOLDER } from '../../src/prove/probes/files/elsewhere.ts';
import { wayOut } from '../support/escape.ts';
import { FS_ALL } from '../support/escape-off.ts';

wayOut(RUNTIME_FOLDER, { off: FS_ALL });
