import { readdirSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type Bytes, bufferOfBytes, bytesOfBuffer, bytesOfText, textOfBytes, wordsIn } from '../host/bytes.ts';
import { homesOf, isWithin } from '../host/folders.ts';
import type { ParentEnv } from '../host/parent-env.ts';
import { factsOf, STARTUP_IN_HOME } from '../plan/places/index.ts';
import { GitLooks } from './git.ts';
import type { Change, ChangeRecord } from './record.ts';

/** Where things lie for the person who looks: as written and, since records have real paths, where links on the way lead. */
export interface Surroundings {
  readonly homes: readonly Bytes[];
  /** Where variables have moved the settings of programs. */
  readonly settings: readonly Bytes[];
  /** The folders of PATH. */
  readonly programs: readonly Bytes[];
  readonly places: readonly { readonly what: string; readonly place: Bytes }[];
  /** Folders that were looked through: whether a repository lies in them. */
  readonly lookedThrough: Map<Bytes, boolean>;
  readonly git: GitLooks;
}

type Workspace = Pick<ChangeRecord, 'workspace'>;

interface RunMark {
  readonly what: string;
  readonly places: readonly string[];
}

/** In a home; a folder stands for all that is in it. */
const IN_HOME: readonly RunMark[] = [
  {
    what: 'a start-up file of a shell',
    places: [...STARTUP_IN_HOME, '.zsh', '.oh-my-zsh', '.pam_environment', '.inputrc'],
  },
  {
    what: 'started with the session',
    places: wordsIn(`
      .config/autostart .config/systemd .local/share/systemd .xprofile .xinitrc .xsession .xsessionrc
      .config/plasma-workspace .local/share/dbus-1 .config/containers/systemd .config/user-tmpfiles.d
      .local/share/applications
    `),
  },
  { what: "git's settings", places: ['.gitconfig', '.config/git', '.git-templates'] },
  { what: 'settings of ssh', places: ['.ssh'] },
  {
    what: 'settings that start programs',
    places: wordsIn(`
      .vimrc .gvimrc .vim .config/nvim .local/share/nvim .exrc .emacs .emacs.d .config/emacs .tmux.conf .config/tmux
      .screenrc .config/helix .config/Code .vscode .config/direnv .npmrc .yarnrc .yarnrc.yml .cargo/config
      .cargo/config.toml .config/pip .pip .pythonrc .gdbinit .config/gdb .lldbinit .config/mise .asdfrc
      .config/starship.toml .config/zellij .m2/settings.xml .gradle/init.d .gradle/init.gradle
      .gradle/gradle.properties .bazelrc .docker .irbrc .Rprofile
    `),
  },
  {
    what: "an agent's settings",
    places: wordsIn('.claude .claude.json .codex .gemini .cursor .aider.conf.yml .config/opencode .qwen .mcp.json'),
  },
  {
    what: 'a program',
    places: ['bin', '.local/bin', '.cargo/bin', '.npm-global', 'go/bin', '.local/lib', '.nvm', '.pyenv'],
  },
];

/** In a home: nothing takes settings from there. */
const CACHES = ['.cache', '.npm/_cacache', '.npm/_logs', '.pnpm-store'];

/** Wherever they lie. */
const ANYWHERE: readonly (readonly [RegExp, string])[] = [
  [/\/\.(?:husky|githooks)\//, 'a git hook'],
  [/\.zwc$/, 'a start-up file of a shell'],
  [/\/\.(?:envrc|mcp\.json|pre-commit-config\.yaml)$/, 'settings that start programs'],
  [/\/\.vscode\/(?:tasks|launch|settings|mcp)\.json$/, 'settings that start programs'],
  [/\/\.claude\/(?:settings[^/]*\.json|hooks\/)/, "an agent's settings"],
  [/\/\.cursor\/mcp\.json$/, "an agent's settings"],
  // Found from every folder below, and run by what is started there.
  [/\/node_modules\//, 'code that others load'],
  [/\/(?:package\.json|[^/]*\.config\.[cm]?[jt]s)$/, 'settings that start programs'],
  [/^(?!.*\/(?:autostart|applications)\/).*\.desktop$/s, 'started by a click'],
];

export function surroundingsOf(env: ParentEnv): Surroundings {
  const { home, passwdHome } = homesOf(env);
  const homes = bothWays([home, passwdHome].flatMap((one) => one ?? []));
  const path = textOfBytes(env.get(bytesOfText('PATH')) ?? bytesOfText('')) ?? '';
  const inHomes = (what: string, places: readonly string[]) =>
    bothWays(homes.flatMap((one) => places.map((place) => join(one, place)))).map((place) => ({
      what,
      place: bytesOfText(place),
    }));
  const { moved, zdotdir } = factsOf(env);
  const settings = moved.filter(([usual]) => !isCache(`/${usual}`, '/')).map(([, place]) => place);
  return {
    homes: homes.map(bytesOfText),
    settings: bothWays([...settings, ...(zdotdir === undefined ? [] : [zdotdir])]).map(bytesOfText),
    programs: bothWays(path.split(':').filter((folder) => folder.startsWith('/'))).map(bytesOfText),
    places: [
      ...IN_HOME.flatMap(({ what, places }) => inHomes(what, places)),
      ...homes.flatMap(linkedDotFiles).map((place) => ({ what: 'settings of your home', place: bytesOfText(place) })),
    ],
    lookedThrough: new Map(),
    git: new GitLooks(home),
  };
}

const bothWays = (paths: readonly string[]) => [...new Set(paths.flatMap((path) => [path, realOf(path)]))];

/** Of what is not there yet: where it would come to lie. */
function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path === '/' ? path : join(realOf(dirname(path)), basename(path));
  }
}

/** Where people keep their dot files elsewhere and link to them. */
function linkedDotFiles(home: string): string[] {
  try {
    return readdirSync(home, { withFileTypes: true })
      .filter((entry) => entry.name.startsWith('.') && entry.isSymbolicLink())
      .map(({ name }) => realOf(join(home, name)))
      .filter((place) => !isWithin(home, place));
  } catch {
    return [];
  }
}

/** What a change would run, later and outside, once it is applied; undefined where nothing comes to mind. */
export function whatItRuns(change: Change, record: ChangeRecord, around: Surroundings): string | undefined {
  if (change.kind === 'folder') return undefined;
  const whatElse = change.kind === 'gone' ? whatItsRemovalDoes : whatElseItRuns;
  return around.git.whatItIs(change, record) ?? whatElse(change, record, around);
}

/** Without its settings a program does what it was told not to do. */
const whatItsRemovalDoes = ({ path }: Change, _: Workspace, around: Surroundings) =>
  isAmongSettings(path, around) ? 'among your settings' : undefined;

function whatElseItRuns(change: Change, record: Workspace, around: Surroundings): string | undefined {
  const { path, kind, mode = 0, was } = change;
  const { programs, places } = around;
  for (const [pattern, what] of ANYWHERE) if (pattern.test(path)) return what;
  if (programs.some((folder) => isWithin(path, folder))) return 'a program on PATH';
  const known = places.find(({ place }) => isWithin(path, place));
  if (known !== undefined) return known.what;
  if (kind === 'file' && ((mode | (was?.mode ?? 0)) & 0o111) !== 0) return 'a program';
  if (isAmongSettings(path, around))
    return was === undefined ? 'a new file among your settings' : 'among your settings';
  return kind === 'file' && was === undefined && isFoundFromBelow(path, record, around)
    ? 'a new file above your projects, where programs in them look for settings'
    : undefined;
}

// ── above projects ──

/** Build tools, test runners and interpreters look for their files in all folders above: which names, nobody can list. */
function isFoundFromBelow(path: Bytes, { workspace }: Workspace, around: Surroundings): boolean {
  const { homes, lookedThrough } = around;
  if (workspace !== undefined && isWithin(path, workspace)) return false;
  const folder = dirname(path) as Bytes;
  if (homes.includes(folder) || (workspace !== undefined && isWithin(workspace, folder))) return true;
  if (homes.some((home) => isCache(path, home))) return false;
  const holdsOne = lookedThrough.get(folder) ?? holdsRepository(folder);
  lookedThrough.set(folder, holdsOne);
  return holdsOne;
}

const MOST_LEVELS = 3;
const MOST_FOLDERS = 500;

/** The folder itself or one not far below; one with too many folders to look through counts as such. */
function holdsRepository(folder: Bytes): boolean {
  let [level, looked] = [[folder], 0];
  for (let depth = 0; depth <= MOST_LEVELS; depth++) {
    const entries = level.map((one) => ({ one, inside: entriesIn(one) }));
    if (entries.some(({ inside }) => inside.some(({ name }) => name === '.git'))) return true;
    level = entries.flatMap(({ one, inside }) =>
      inside.filter((entry) => entry.isDirectory()).map(({ name }) => join(one, name) as Bytes),
    );
    looked += level.length;
    if (looked > MOST_FOLDERS) return true;
  }
  return false;
}

function entriesIn(folder: Bytes): { readonly name: Bytes; readonly isDirectory: () => boolean }[] {
  try {
    return readdirSync(bufferOfBytes(folder), { withFileTypes: true, encoding: 'buffer' }).map((entry) => ({
      name: bytesOfBuffer(entry.name),
      isDirectory: () => entry.isDirectory(),
    }));
  } catch {
    return [];
  }
}

const isAmongSettings = (path: Bytes, { homes, settings }: Surroundings) =>
  homes.some((home) => isDotFile(path, home)) || settings.some((folder) => isWithin(path, folder));

/** Nobody can list what all programs read at their start, so in a home every dot file counts. */
const isDotFile = (path: Bytes, home: Bytes) =>
  path.startsWith(`${home === '/' ? '' : home}/.`) && !isCache(path, home);

const isCache = (path: string, home: string) => CACHES.some((place) => isWithin(path, join(home, place)));

/** What is taken over only when it is named itself: it starts programs, and the workspace is not where they were to be written. */
export function needsNaming(change: Change, record: ChangeRecord, around: Surroundings): boolean {
  return isOutside(change, record, around) && whatItRuns(change, record, around) !== undefined;
}

/** Git's own files lie in the workspace, and start programs all the same. */
function isOutside(change: Change, record: ChangeRecord, { git }: Surroundings): boolean {
  const { workspace } = record;
  return workspace === undefined || !isWithin(change.path, workspace) || git.whatItIs(change, record) !== undefined;
}
