import { SESSION_BUS, USER_MANAGER } from '../../src/prove/probes/authority/session.ts';
import { wayOut } from '../support/escape.ts';
import { FS_ALL } from '../support/escape-off.ts';

wayOut(SESSION_BUS, { flags: ['--allow', 'DBUS_SESSION_BUS_ADDRESS'], off: FS_ALL });
wayOut(USER_MANAGER, { off: FS_ALL });
