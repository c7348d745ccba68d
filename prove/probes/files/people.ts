import type { Probe } from '../../probe.ts';
import { attack } from '../attack.ts';
import { credentials } from './places.ts';

export const PERSONAL_FILES: readonly Probe[] = [
  credentials(
    {
      id: 'files/browsers',
      title: 'browser profiles',
      gives: 'cookies of every site the user is logged in to, saved passwords',
      reference: attack('T1555/003'),
    },
    ...['.mozilla/firefox/x.default/logins.json', '.config/google-chrome/Default/Cookies', '.config/chromium/x'],
    ...['.config/BraveSoftware/Brave-Browser/Default/x', '.config/microsoft-edge/Default/Cookies'],
    ...['snap/firefox/common/x', '.var/app/org.mozilla.firefox/x', '.config/google-chrome-beta/Default/Cookies'],
  ),
  credentials(
    {
      id: 'files/mail-and-chat',
      title: 'mail and chat',
      gives: 'conversations, and the sessions to go on with them',
      reference: attack('T1114/001'),
    },
    ...['.thunderbird/x.default/key4.db', '.config/Slack/Cookies', '.config/Signal/config.json', '.config/discord/x'],
    ...['.local/share/TelegramDesktop/tdata/x', '.config/weechat/sec.conf'],
  ),
  credentials(
    {
      id: 'files/shell-histories',
      title: 'histories of shells',
      gives: 'the passwords and tokens that were typed on a command line',
      reference: attack('T1552/003'),
    },
    ...['.bash_history', '.zsh_history', '.local/share/fish/fish_history', '.local/share/atuin/history.db'],
    ...['.histfile', '.local/state/zsh/history', '.config/nushell/history.txt'],
  ),
  credentials(
    {
      id: 'files/editor-copies',
      title: 'copies that editors keep of files, and projects among toolchains',
      gives: 'every secret that was ever edited, whatever hides the file itself',
      reference: attack('T1552/001'),
    },
    ...['.vim/undo/%home%u%.aws%credentials', '.vim/backup/credentials~', '.local/share/nvim/swap/.env.swp'],
    ...['.emacs.d/backups/!home!u!.netrc~', '.emacs.d/auto-save-list/.saves-1', '.tmux/resurrect/last'],
    ...['go/src/example.org/shop/.env', '.npm/_logs/debug-0.log', '.zsh_secrets'],
  ),
  credentials(
    {
      id: 'files/tool-histories',
      title: 'histories of databases, interpreters and editors',
      gives: 'what was typed there: connection strings, ALTER USER, keys that were tried out',
      reference: attack('T1552/003'),
    },
    ...['.psql_history', '.mysql_history', '.sqlite_history', '.rediscli_history', '.dbshell', '.python_history'],
    ...['.node_repl_history', '.viminfo', '.lesshst', '.local/state/nvim/shada/main.shada'],
  ),
  credentials(
    {
      id: 'files/clipboard',
      title: 'what clipboard managers remember',
      gives: 'passwords on their way from the password manager',
      reference: attack('T1115'),
    },
    ...['.cache/cliphist/db', '.local/share/klipper/history2.lst', '.cache/clipman.json'],
  ),
];
