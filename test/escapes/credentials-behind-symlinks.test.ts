import { BEHIND_SYMLINKS } from '../../src/prove/probes/files/elsewhere.ts';
import { wayOut } from '../support/escape.ts';
import { FS_ALL } from '../support/escape-off.ts';

wayOut(BEHIND_SYMLINKS, { off: FS_ALL });
