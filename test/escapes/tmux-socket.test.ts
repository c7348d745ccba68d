import { TMUX, TMUX_NAMED } from '../../src/prove/probes/authority/terminals.ts';
import { wayOut } from '../support/escape.ts';
import { FS_ALL } from '../support/escape-off.ts';

wayOut(TMUX, { off: FS_ALL });
wayOut(TMUX_NAMED, { off: FS_ALL });
