import type { Probe } from '../../probe.ts';
import { attack } from '../attack.ts';
import { lacking } from '../installed.ts';
import { planting } from './planting.ts';

const COMMON = {
  gives: 'code that runs with everything the user has, when they next start the program',
  promise: 'planting',
} as const;

const toolFiles = (
  program: string,
  ...places: readonly string[]
): Pick<Probe, 'planted' | 'tried' | 'inapplicable'> & ReturnType<typeof planting> => ({
  planted: 'nothing',
  tried: `writing ~/${places.join(', ~/')}`,
  inapplicable: () => lacking(program),
  ...planting({ places }),
});

export const VIM_FILES: Probe = {
  id: 'planting/vim',
  title: 'planting code in the files of Vim',
  reference: 'https://vimhelp.org/starting.txt.html#vimrc',
  ...COMMON,
  ...toolFiles('vim', '.vimrc', '.vim/plugin/evil.vim', '.vim/vimrc'),
};

export const TMUX_FILES: Probe = {
  id: 'planting/tmux',
  title: 'planting commands in the configuration of tmux',
  reference: 'https://man.openbsd.org/tmux.1#FILES',
  ...COMMON,
  ...toolFiles('tmux', '.tmux.conf'),
};

export const TMUX_XDG_FILE: Probe = {
  id: 'planting/tmux-xdg',
  title: 'planting commands in the second configuration of tmux',
  reference: 'https://man.openbsd.org/tmux.1#FILES',
  ...COMMON,
  ...toolFiles('tmux', '.config/tmux/tmux.conf'),
};

export const NPM_FILES: Probe = {
  id: 'planting/npm',
  title: 'planting settings of npm, script-shell for one',
  reference: 'https://docs.npmjs.com/cli/v11/using-npm/config#script-shell',
  ...COMMON,
  ...toolFiles('npm', '.npmrc'),
};

export const GPG_FILES: Probe = {
  id: 'planting/gpg',
  title: 'planting a program that GPG runs, where there was no ~/.gnupg',
  reference: 'https://www.gnupg.org/documentation/manuals/gnupg/Agent-Options.html',
  ...COMMON,
  ...toolFiles('gpg', '.gnupg/gpg-agent.conf', '.gnupg/gpg.conf'),
};

export const DIRENV_FILES: Probe = {
  id: 'planting/direnv',
  title: 'planting code that direnv runs, or its trust in a folder',
  reference: 'https://direnv.net/man/direnv.1.html',
  ...COMMON,
  ...toolFiles('direnv', '.config/direnv/direnvrc', '.local/share/direnv/allow/0123'),
};

export const GDB_FILES: Probe = {
  id: 'planting/gdb',
  title: 'planting commands in the files of GDB',
  reference: attack('T1546'),
  ...COMMON,
  ...toolFiles('gdb', '.gdbinit', '.config/gdb/gdbinit'),
};

const EXISTING = [
  ...['.config/nvim/init.lua', '.emacs.d/init.el', '.config/Code/User/settings.json', '.psqlrc', '.irbrc'],
  ...['.config/kitty/kitty.conf', '.screenrc', '.lldbinit', '.gradle/init.d/mine.gradle', '.cargo/config.toml'],
  ...['.config/zed/settings.json', '.Rprofile', '.ipython/profile_default/startup/00.py'],
];

export const TOOL_FILES: Probe = {
  id: 'planting/tool-files',
  title: 'planting code in files of editors, terminals, debuggers and build tools that are there',
  planted: `~/${EXISTING.join(', ~/')}`,
  tried: 'appending to each',
  reference: attack('T1546'),
  ...COMMON,
  ...planting({ existing: EXISTING, places: EXISTING }),
};

const ABSENT = ['.cargo/config.toml', '.curlrc', '.config/pip/pip.conf', '.gradle/init.d/evil.gradle', '.emacs'];

export const ABSENT_TOOL_FILES: Probe = {
  id: 'planting/absent-tool-files',
  title: 'planting settings of tools that are not there, and that ordinary work writes',
  planted: 'nothing',
  tried: `writing ~/${ABSENT.join(', ~/')}`,
  reference: 'https://doc.rust-lang.org/cargo/reference/config.html#buildrustc-wrapper',
  ...COMMON,
  ...planting({ places: ABSENT }),
};

const AGENT_FILES = ['.claude/settings.json', '.codex/config.toml', '.gemini/settings.json'];

export const AGENT_SETTINGS: Probe = {
  id: 'planting/agent-settings',
  title: "planting hooks in coding agents' settings that are there",
  planted: `~/${AGENT_FILES.join(', ~/')}`,
  tried: 'appending to each',
  reference: 'https://docs.claude.com/en/docs/claude-code/hooks',
  ...COMMON,
  ...planting({ existing: AGENT_FILES, places: AGENT_FILES }),
};

export const ABSENT_AGENT_SETTINGS: Probe = {
  id: 'planting/absent-agent-settings',
  title: "planting hooks in coding agents' settings that are not there",
  planted: 'nothing',
  tried: `writing ~/${AGENT_FILES.join(', ~/')} and ~/.cursor/mcp.json`,
  reference: 'https://docs.claude.com/en/docs/claude-code/hooks',
  ...COMMON,
  ...planting({ places: [...AGENT_FILES, '.cursor/mcp.json'] }),
};
