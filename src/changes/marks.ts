import { type Bytes, bytesOfText } from '../host/bytes.ts';
import { STARTUP_IN_HOME } from '../plan/places/index.ts';
import type { Change, ChangeRecord } from './record.ts';

/** Where things lie for the person who looks. */
export interface Surroundings {
  readonly homes: readonly string[];
  /** The folders of PATH. */
  readonly programs: readonly string[];
}

interface Mark {
  readonly what: string;
  readonly places: readonly string[];
}

/** In a home; a folder stands for all that is in it. */
const IN_HOME: readonly Mark[] = [
  {
    what: 'a start-up file of a shell',
    places: [...STARTUP_IN_HOME, '.zsh', '.oh-my-zsh', '.pam_environment', '.inputrc'],
  },
  {
    what: 'started with the session',
    places: [
      ...[
        '.config/autostart',
        '.config/systemd',
        '.local/share/systemd',
        '.xprofile',
        '.xinitrc',
        '.xsession',
        '.xsessionrc',
      ],
      ...['.config/plasma-workspace', '.local/share/dbus-1', '.config/containers/systemd', '.config/user-tmpfiles.d'],
      ...['.local/share/applications'],
    ],
  },
  { what: "git's settings", places: ['.gitconfig', '.config/git', '.git-templates'] },
  { what: 'settings of ssh', places: ['.ssh'] },
  {
    what: 'settings that start programs',
    places: [
      ...[
        '.vimrc',
        '.gvimrc',
        '.vim',
        '.config/nvim',
        '.local/share/nvim',
        '.exrc',
        '.emacs',
        '.emacs.d',
        '.config/emacs',
      ],
      ...[
        '.tmux.conf',
        '.config/tmux',
        '.screenrc',
        '.config/helix',
        '.config/Code',
        '.vscode',
        '.config/direnv',
        '.npmrc',
      ],
      ...[
        '.yarnrc',
        '.yarnrc.yml',
        '.cargo/config',
        '.cargo/config.toml',
        '.config/pip',
        '.pip',
        '.pythonrc',
        '.gdbinit',
      ],
      ...[
        '.config/gdb',
        '.lldbinit',
        '.config/mise',
        '.asdfrc',
        '.config/starship.toml',
        '.config/zellij',
        '.m2/settings.xml',
      ],
      ...[
        '.gradle/init.d',
        '.gradle/init.gradle',
        '.gradle/gradle.properties',
        '.bazelrc',
        '.docker',
        '.irbrc',
        '.Rprofile',
      ],
    ],
  },
  {
    what: "an agent's settings",
    places: [
      '.claude',
      '.claude.json',
      '.codex',
      '.gemini',
      '.cursor',
      '.aider.conf.yml',
      '.config/opencode',
      '.qwen',
      '.mcp.json',
    ],
  },
  {
    what: 'a program',
    places: ['bin', '.local/bin', '.cargo/bin', '.npm-global', 'go/bin', '.local/lib', '.nvm', '.pyenv'],
  },
];

/** Wherever they lie. */
const ANYWHERE: readonly (readonly [RegExp, string])[] = [
  [/\/\.git\/(?:.*\/)?hooks\//, 'a git hook'],
  [/\/\.(?:husky|githooks)\//, 'a git hook'],
  [/\/\.git\/(?:config|config\.worktree|modules\/.*\/config)$/, "git's settings"],
  [/\/\.(?:envrc|mcp\.json|pre-commit-config\.yaml)$/, 'settings that start programs'],
  [/\/\.vscode\/(?:tasks|launch|settings|mcp)\.json$/, 'settings that start programs'],
  [/\/\.claude\/(?:settings[^/]*\.json|hooks\/)/, "an agent's settings"],
  [/\/\.cursor\/mcp\.json$/, "an agent's settings"],
];

/** What a change would run, later and outside, once it is applied; undefined where nothing comes to mind. */
export function whatItRuns({ path, kind, mode = 0 }: Change, { homes, programs }: Surroundings): string | undefined {
  if (kind === 'folder' || kind === 'gone') return undefined;
  for (const [pattern, what] of ANYWHERE) if (pattern.test(path)) return what;
  if (programs.some((folder) => isIn(path, folder))) return 'a program on PATH';
  for (const home of homes)
    for (const { what, places } of IN_HOME) if (places.some((place) => isIn(path, `${home}/${place}`))) return what;
  return kind === 'file' && (mode & 0o111) !== 0 ? 'a program' : undefined;
}

/** What is taken over only when it is named itself: it starts programs, and the workspace is not where they were to be written. */
export function needsNaming(change: Change, record: Pick<ChangeRecord, 'workspace'>, around: Surroundings): boolean {
  return whatItRuns(change, around) !== undefined && isOutside(change, record);
}

/** Git's own files lie in the workspace, and start programs all the same. */
function isOutside({ path }: Change, { workspace }: Pick<ChangeRecord, 'workspace'>): boolean {
  return workspace === undefined || !isBelow(path, workspace) || isBelow(path, `${workspace}/.git`);
}

const isBelow = (path: string, place: string) => path === place || path.startsWith(`${place === '/' ? '' : place}/`);

function isIn(path: Bytes, place: string): boolean {
  const there = bytesOfText(place);
  return path === there || path.startsWith(`${there}/`);
}
