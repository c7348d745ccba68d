import { GIT_CACHE, GIT_HELPER, GIT_STORE } from '../../src/prove/probes/authority/git.ts';
import { wayOut } from '../support/escape.ts';
import { FS_ALL } from '../support/escape-off.ts';

wayOut(GIT_STORE, { off: FS_ALL });
wayOut(GIT_HELPER, { off: FS_ALL });
wayOut(GIT_CACHE, { off: FS_ALL });
