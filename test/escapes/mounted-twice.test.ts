import { MOUNTED_TWICE } from '../../src/prove/probes/kernel/mounts.ts';
import { wayOut } from '../support/escape.ts';
import { FS_ALL } from '../support/escape-off.ts';

wayOut(MOUNTED_TWICE, { off: FS_ALL });
