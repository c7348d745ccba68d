import { AUTOSTART, SESSION_VARIABLES, USER_UNITS } from '../../src/prove/probes/planting/session.ts';
import { wayOut } from '../support/escape.ts';
import { FS_ALL } from '../support/escape-off.ts';

wayOut(USER_UNITS, { off: FS_ALL });
wayOut(AUTOSTART, { off: FS_ALL });
wayOut(SESSION_VARIABLES, { off: FS_ALL });
