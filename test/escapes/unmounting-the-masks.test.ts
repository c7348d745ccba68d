import { UNMOUNTING } from '../../src/prove/probes/kernel/mounts.ts';
import { wayOut } from '../support/escape.ts';
import { FS_ALL } from '../support/escape-off.ts';

wayOut(UNMOUNTING, { off: FS_ALL });
