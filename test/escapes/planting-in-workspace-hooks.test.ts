import { WORKSPACE_HOOKS } from '../../src/prove/probes/planting/git.ts';
import { wayOut } from '../support/escape.ts';
import { FS_ALL } from '../support/escape-off.ts';

wayOut(WORKSPACE_HOOKS, { off: FS_ALL });
