import { LOCAL_BIN, VERSION_SHIMS } from '../../src/prove/probes/planting/programs.ts';
import { wayOut } from '../support/escape.ts';
import { FS_ALL } from '../support/escape-off.ts';

wayOut(LOCAL_BIN, { off: FS_ALL });
wayOut(VERSION_SHIMS, { off: FS_ALL });
