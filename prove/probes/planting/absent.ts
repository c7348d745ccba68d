import type { Probe } from '../../probe.ts';
import { attack } from '../attack.ts';
import { planting } from './planting.ts';

/** Programs look for these whether anybody has ever made them or not. */
const absent = (words: Pick<Probe, 'id' | 'title' | 'gives' | 'reference'>, ...places: readonly string[]): Probe => ({
  ...words,
  promise: 'planting',
  planted: 'nothing',
  tried: `writing ~/${places.join(', ~/')}`,
  ...planting({ places }),
});

const AT_THE_NEXT_SHELL = 'code that runs with everything the user has, as soon as they open the next shell';
const AT_THE_NEXT_START = 'code that runs with everything the user has, when they next start the program';
const AT_THE_NEXT_LOG_IN = 'code that runs with everything the user has, from the next log-in on';

export const ABSENT_FILES: readonly Probe[] = [
  absent(
    {
      id: 'planting/bash-completion',
      title: 'planting code in files of the completion of bash that are not there',
      gives: AT_THE_NEXT_SHELL,
      reference: 'https://github.com/scop/bash-completion/blob/main/README.md',
    },
    ...['.bash_completion', '.config/bash_completion', '.bash_completion.d/ls'],
    '.local/share/bash-completion/completions/git',
  ),
  absent(
    {
      id: 'planting/taken-in-if-present',
      title: 'planting files that start-up files take in if they are there',
      gives: AT_THE_NEXT_SHELL,
      reference: attack('T1546/004'),
    },
    ...[
      '.bashrc.d/evil',
      '.bash_aliases',
      '.bash_functions',
      '.bashrc.local',
      '.profile.d/evil.sh',
      '.zshrc.d/evil.zsh',
    ],
    ...['.zshrc.local', '.aliases', '.exports', '.extra', '.localrc', '.oh-my-zsh/custom/evil.zsh', '.fzf.bash'],
    ...['.cargo/env', '.local/bin/env', '.sdkman/bin/sdkman-init.sh', '.nvm/nvm.sh', '.p10k.zsh', '.bash_env'],
  ),
  absent(
    {
      id: 'planting/compiled-zsh-files',
      title: 'planting compiled start-up files of zsh, which it takes before the readable ones',
      gives: AT_THE_NEXT_SHELL,
      reference: 'https://zsh.sourceforge.io/Doc/Release/Shell-Builtin-Commands.html',
    },
    ...['.zshrc.zwc', '.zshenv.zwc', '.zprofile.zwc', '.zlogin.zwc', '.zlogout', '.zcompdump', '.zcompdump.zwc'],
    ...['.zcompdump-host-5.9', '.zfunc/_git', '.cache/p10k-instant-prompt-me.zsh', '.cache/zsh/zcompdump'],
  ),
  absent(
    {
      id: 'planting/other-shells',
      title: 'planting start-up files of nu, elvish, xonsh, PowerShell, ksh and csh',
      gives: AT_THE_NEXT_SHELL,
      reference: 'https://www.nushell.sh/book/configuration.html',
    },
    ...['.config/nushell/config.nu', '.config/nushell/env.nu', '.config/nushell/autoload/evil.nu', '.kshrc', '.mkshrc'],
    ...[
      '.config/elvish/rc.elv',
      '.xonshrc',
      '.config/xonsh/rc.xsh',
      '.config/powershell/profile.ps1',
      '.tcshrc',
      '.cshrc',
    ],
    ...['.local/share/nushell/vendor/autoload/evil.nu', '.login', '.rcrc', '.shrc', '.yashrc'],
  ),
  absent(
    {
      id: 'planting/fish-vendor-files',
      title: "planting code in fish's folders for packages",
      gives: AT_THE_NEXT_SHELL,
      reference: 'https://fishshell.com/docs/current/language.html#configuration-files',
    },
    ...['.local/share/fish/vendor_conf.d/evil.fish', '.local/share/fish/vendor_functions.d/ls.fish'],
    ...[
      '.local/share/fish/vendor_completions.d/git.fish',
      '.config/fish/completions/git.fish',
      '.config/fish/fish_variables',
    ],
  ),
  absent(
    {
      id: 'planting/prompts-and-version-managers',
      title: 'planting commands in settings of prompts and version managers',
      gives: AT_THE_NEXT_SHELL,
      reference: 'https://starship.rs/config/#custom-commands',
    },
    ...[
      '.config/starship.toml',
      '.config/mise/config.toml',
      '.config/mise/conf.d/evil.toml',
      '.mise.toml',
      '.tool-versions',
    ],
    ...[
      '.config/atuin/config.toml',
      '.config/zellij/config.kdl',
      '.config/direnv/direnv.toml',
      '.asdfrc',
      '.sdkman/etc/config',
    ],
    ...[
      '.local/share/mise/plugins/node/bin/install',
      '.asdf/plugins/node/bin/install',
      '.volta/hooks.json',
      '.pyenv/pyenv.d/rehash/evil.bash',
    ],
  ),
  absent(
    {
      id: 'planting/absent-editor-files',
      title: 'planting code in files of editors that are not there',
      gives: AT_THE_NEXT_START,
      reference: 'https://neovim.io/doc/user/starting.html#initialization',
    },
    ...[
      '.config/nvim/init.lua',
      '.config/nvim/plugin/evil.lua',
      '.local/share/nvim/site/plugin/evil.vim',
      '.exrc',
      '.nvimrc',
    ],
    ...['.local/share/nvim/site/pack/x/start/evil/plugin/x.vim', '.config/emacs/init.el', '.emacs.d/early-init.el'],
    ...[
      '.config/helix/config.toml',
      '.config/micro/init.lua',
      '.config/kak/kakrc',
      '.nanorc',
      '.config/zed/tasks.json',
    ],
    ...[
      '.config/Code/User/tasks.json',
      '.vscode/extensions/evil/extension.js',
      '.config/sublime-text/Packages/User/x.py',
    ],
  ),
  absent(
    {
      id: 'planting/absent-program-files',
      title: 'planting commands in settings of other programs that are not there',
      gives: AT_THE_NEXT_START,
      reference: attack('T1546'),
    },
    ...[
      '.lessfilter',
      '.lesskey',
      '.config/lesskey',
      '.psqlrc',
      '.sqliterc',
      '.irbrc',
      '.pryrc',
      '.Rprofile',
      '.perldb',
    ],
    ...[
      '.config/ranger/rc.conf',
      '.config/lf/lfrc',
      '.config/ghostty/config',
      '.config/alacritty/alacritty.toml',
      '.wezterm.lua',
    ],
    ...[
      '.config/kitty/kitty.conf',
      '.config/mpv/scripts/evil.lua',
      '.config/gh/config.yml',
      '.config/lazygit/config.yml',
    ],
    ...[
      '.config/pypoetry/config.toml',
      '.config/uv/uv.toml',
      '.cargo/config.toml',
      '.m2/extensions.xml',
      '.config/go/env',
    ],
    ...[
      '.ipython/profile_default/startup/evil.py',
      '.local/share/jupyter/kernels/python3/kernel.json',
      '.config/gdb/gdbinit',
    ],
  ),
  absent(
    {
      id: 'planting/containers-and-temporary-files',
      title: 'planting units that systemd makes of other files: quadlets, tmpfiles, generators',
      gives: AT_THE_NEXT_LOG_IN,
      reference: 'https://docs.podman.io/en/latest/markdown/podman-systemd.unit.5.html',
    },
    ...[
      '.config/containers/systemd/evil.container',
      '.config/user-tmpfiles.d/evil.conf',
      '.config/containers/containers.conf',
    ],
    ...['.local/share/user-tmpfiles.d/evil.conf', '.config/systemd/user-generators/evil', '.config/systemd/user.conf'],
    ...['.config/systemd/user-environment-generators/evil', '.local/share/systemd/user-generators/evil'],
  ),
  absent(
    {
      id: 'planting/desktop-start',
      title: 'planting scripts that a desktop runs when it starts',
      gives: AT_THE_NEXT_LOG_IN,
      reference: 'https://userbase.kde.org/Session_Environment_Variables',
    },
    ...[
      '.config/plasma-workspace/env/evil.sh',
      '.config/plasma-workspace/shutdown/evil.sh',
      '.config/autostart-scripts/x.sh',
    ],
    ...[
      '.config/sway/config',
      '.config/hypr/hyprland.conf',
      '.config/i3/config',
      '.i3/config',
      '.xinitrc',
      '.xprofile',
    ],
    ...['.xsession', '.xsessionrc', '.config/openbox/autostart', '.config/awesome/rc.lua', '.config/labwc/autostart'],
    ...[
      '.local/share/gnome-shell/extensions/evil/extension.js',
      '.local/share/kservices5/evil.desktop',
      '.pam_environment',
    ],
    ...[
      '.local/share/xsessions/evil.desktop',
      '.config/river/init',
      '.config/niri/config.kdl',
      '.config/waybar/config',
    ],
  ),
  absent(
    {
      id: 'planting/anywhere',
      title: 'planting a file where nobody has thought of one',
      gives: 'code or settings that some program of the user takes in, whichever that is',
      reference: attack('T1546'),
    },
    ...[
      '.toolrc',
      '.config/tool/init',
      '.local/share/tool/plugins/x',
      '.local/state/tool/x',
      '.cache/tool/x',
      '.tool.d/x',
    ],
    ...[
      'Makefile',
      'Documents/macro.ods',
      'projects/other/package.json',
      '.local/lib/tool/x',
      '.opt/x',
      'go/pkg/mod/x',
    ],
  ),
];
