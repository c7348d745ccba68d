import {
  AGENT_SETTINGS,
  TMUX_FILES,
  TMUX_XDG_FILE,
  TOOL_FILES,
  VIM_FILES,
} from '../../src/prove/probes/planting/tools.ts';
import { wayOut } from '../support/escape.ts';
import { FS_ALL } from '../support/escape-off.ts';

wayOut(TOOL_FILES, { off: FS_ALL });
wayOut(AGENT_SETTINGS, { off: FS_ALL });
wayOut(VIM_FILES, { off: FS_ALL });
wayOut(TMUX_FILES, { off: FS_ALL });
wayOut(TMUX_XDG_FILE, { off: FS_ALL });
