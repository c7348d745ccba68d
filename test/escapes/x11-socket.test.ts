import { X11, X11_COOKIE } from '../../src/prove/probes/authority/x11.ts';
import { wayOut } from '../support/escape.ts';
import { FS_ALL } from '../support/escape-off.ts';

wayOut(X11, { off: FS_ALL });
wayOut(X11_COOKIE, { off: FS_ALL });
