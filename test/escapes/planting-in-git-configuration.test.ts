import { ABSENT_GIT_CONFIGURATION, GIT_CONFIGURATION, GIT_POINTERS } from '../../src/prove/probes/planting/git.ts';
import { wayOut } from '../support/escape.ts';
import { FS_ALL } from '../support/escape-off.ts';

wayOut(GIT_CONFIGURATION, { off: FS_ALL });
wayOut(ABSENT_GIT_CONFIGURATION, { off: FS_ALL });
wayOut(GIT_POINTERS, { off: FS_ALL });
