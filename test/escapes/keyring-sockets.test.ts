import { PASSWORD_MANAGERS, SECRET_SERVICE } from '../../src/prove/probes/authority/keys.ts';
import { wayOut } from '../support/escape.ts';
import { FS_ALL } from '../support/escape-off.ts';

wayOut(SECRET_SERVICE, { off: FS_ALL });
wayOut(PASSWORD_MANAGERS, { off: FS_ALL });
