import { SCREEN, TERMINAL_EMULATORS } from '../../src/prove/probes/authority/terminals.ts';
import { wayOut } from '../support/escape.ts';
import { FS_ALL } from '../support/escape-off.ts';

wayOut(SCREEN, { off: FS_ALL });
wayOut(TERMINAL_EMULATORS, { off: FS_ALL });
