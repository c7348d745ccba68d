import { SOUND, WAYLAND } from '../../src/prove/probes/authority/session.ts';
import { wayOut } from '../support/escape.ts';
import { FS_ALL } from '../support/escape-off.ts';

wayOut(WAYLAND, { off: FS_ALL });
wayOut(SOUND, { off: FS_ALL });
