import { existsSync, readSync, realpathSync, type Stats } from 'node:fs';
import { type Decision, decider } from '../decide/decide.ts';
import { isSecret, SHORTEST_SECRET, withoutQuotes } from '../decide/guard/index.ts';
import { namesIn, quietly, reading, realPathOf } from '../host/files.ts';
import { isWithin } from '../host/folders.ts';
import type { ParentEnv } from '../host/parent-env.ts';
import { type Copies, NO_COPIES, type PlaceFacts, pathsOf } from '../plan/places/index.ts';
import { exportsAll, joined, standIns, WORD } from '../plan/startup.ts';
import type { StartupNote, StartupPolicy, StartupText } from '../plan/startup-file.ts';
import type { Policy } from '../policy/policy.ts';

export interface StartupCopies {
  readonly files: Copies;
  readonly notes: readonly StartupNote[];
  /** The start-up files that were read: which values of the parent stand in them decides too. */
  readonly read: readonly string[];
  /** All that were come upon, also those that are somebody else's. */
  readonly met: readonly string[];
}

/** Shells inside read the very files where people export their keys: what the policy drops does not come back through them. */
export function startupCopies(places: StartupPlaces, policy: StartupPolicy | undefined): StartupCopies {
  if (policy === undefined) return { files: NO_COPIES, notes: [], read: [], met: [] };
  const { texts, met } = readStartupFiles(places);
  const files = standIns(texts, policy);
  const copies = files.flatMap(({ path, text }) => pathsOf([path]).map((at) => ({ path: at, text })));
  const read = texts.map(({ path }) => path);
  return { files: { copies, absent: [] }, notes: files.flatMap(({ notes }) => notes), read, met };
}

export const startupPlaces = (facts: PlaceFacts, workspace: string): StartupPlaces => ({
  homes: [...new Set(facts.homes.map(realPathOf))],
  zdotdir: facts.zdotdir === undefined ? undefined : realPathOf(facts.zdotdir),
  config: facts.moved.find(([usual]) => usual === '.config')?.[1],
  named: facts.shellFiles,
  programs: facts.programs,
  workspace: realPathOf(workspace),
});

/** Whether it makes no difference to what was come upon that this is the workspace, and which values the parent has. */
export function isSameAnywhere(
  { read: files, met }: Pick<StartupCopies, 'read' | 'met'>,
  { homes, workspace }: Pick<StartupPlaces, 'homes' | 'workspace'>,
  { drops, holdsDropped }: StartupPolicy,
): boolean {
  const isOfHome = homes.length > 0 && homes.every((home) => isWithin(home, workspace));
  return (
    (isOfHome || !met.some((path) => isWithin(path, workspace))) &&
    !(drops && files.some((path) => holdsDropped(quietly(() => textAt(path).text) ?? '')))
  );
}

/** The policy as it is asked about start-up files. Where the filter is all there is, nothing can stand in for a file. */
export function startupPolicy(policy: Policy, env: ParentEnv, decided: readonly Decision[]): StartupPolicy | undefined {
  if (policy.isolation === 'filter') return undefined;
  const decide = decider(policy);
  const known = decided.map(({ name, verdict }) => ({ name, verdict, value: env.peek(name) ?? '' }));
  const passed = new Set(known.filter(({ verdict }) => verdict === 'pass').map(({ value }) => value));
  const dropped = known.filter(({ value }) => value.length >= SHORTEST_SECRET && !passed.has(value));
  return {
    passes: (name, value) => decide(name, value).verdict === 'pass',
    drops: dropped.length > 0,
    holdsDropped: (text) => dropped.some(({ name, value }) => text.includes(value) && isSecret(name, value)),
  };
}

/** Where shells inside look, free of symbolic links. */
export interface StartupPlaces {
  readonly homes: readonly string[];
  readonly zdotdir?: string | undefined;
  /** Where `~/.config` really is, when a variable says so. */
  readonly config?: string | undefined;
  /** Files that variables of the parent name. */
  readonly named: readonly string[];
  /** Folders of PATH: a name without a slash is looked for there. */
  readonly programs?: readonly string[] | undefined;
  readonly workspace: string;
  /** The root of the system, when it isn't `/`. */
  readonly root?: string;
}

const ZSH = ['.zshenv', '.zprofile', '.zshrc', '.zlogin', '.zlogout'];
const IN_HOME =
  `.profile .profile.d/* .bashrc .bashrc.d/* .bash_profile .bash_login .bash_logout .bash_aliases .bash_completion
  ${ZSH.join(' ')} .zsh/* .oh-my-zsh/custom/* .oh-my-bash/custom/* .kshrc .mkshrc .shrc .cshrc .tcshrc .login .xprofile .xsessionrc
  .pam_environment .config/environment.d/* .config/plasma-workspace/env/* .config/bash/* .config/zsh/* .config/fish/config.fish
  .config/fish/fish_variables .config/fish/conf.d/* .config/fish/functions/*
  .config/nushell/*.nu .config/nushell/autoload/*.nu`.split(/\s+/);
const IN_SYSTEM =
  `/etc/profile /etc/profile.d/* /etc/profile.local /etc/bash.bashrc /etc/bashrc /etc/bash.bash_logout /etc/zsh/*
  /etc/zshenv /etc/zprofile /etc/zshrc /etc/zlogin /etc/fish/config.fish /etc/fish/conf.d/* /etc/ksh.kshrc /etc/mkshrc
  /etc/csh.cshrc /etc/csh.login /etc/environment /etc/environment.d/* /etc/security/pam_env.conf`.split(/\s+/);
const LIST = /environment(?:\.d\/[^/]+)?$|fish_variables$|pam_env\.conf$/;
const DEVICE = /^\/(?:dev|proc|sys)\//;
/** Files of packages: only root writes there, and a copy would break them. */
const OF_SYSTEM = /^\/(?:usr\/(?!local\/)|nix\/|snap\/)/;
/** Version managers: a line that people, or their installers, added there goes, and the rest stays as it is. */
const OF_OTHERS = new Set(
  `.nvm .bash_it .antigen .antidote .zplug .zinit .zim .zprezto .fzf .asdf .sdkman .pyenv .rbenv .nodenv .jenv .goenv .volta .bun .deno
  .ghcup .opam .cargo .rustup miniconda miniconda3 miniforge miniforge3 anaconda anaconda3 anaforge anaforge3 mambaconda mambaconda3
  mambaforge mambaforge3 powerlevel10k .powerlevel10k`.split(/\s+/),
);

function isOfOthers(path: string): boolean {
  const folders = path.split('/').slice(1, -1);
  return folders.some(
    (name, at) =>
      OF_OTHERS.has(name) ||
      // What people keep in there themselves.
      (/^\.oh-my-(?:zsh|bash)$/.test(name) && !(folders[at + 1] === 'custom' && folders.length === at + 2)),
  );
}

const TAKES_IN = new RegExp(
  String.raw`(?:^|[;&|({!\`"'\n]|\b(?:then|do|else|builtin|command))\s{0,99}\\?(?:\.|source)\s+(?:--?\s+)?(?![<=]\()(${WORD}+)`,
  'g',
);
const MAY_TAKE_IN = /(?:^|[\s;&|({!`"'\\]|then|do|else|builtin|command)(?:\.|source)\s/;
const MOST_FILES = 300;
const LARGEST = 1 << 20;

interface Step {
  readonly pattern: string;
  readonly home: string;
  readonly by?: StartupText;
  /** It is only mentioned. */
  readonly perhaps?: boolean;
}

/** The start-up files that are there, and those that they take in. */
export function readStartupFiles({ homes, zdotdir, config, named, programs, workspace, root = '' }: StartupPlaces): {
  readonly texts: readonly StartupText[];
  readonly met: readonly string[];
} {
  const [home = '/'] = homes;
  const below = (folder: string | undefined, prefix = '') =>
    IN_HOME.filter((place) => folder && place.startsWith(prefix)).map(
      (place) => `${folder}/${place.slice(prefix.length)}`,
    );
  const others = [...below(zdotdir), ...below(config, '.config/'), ...IN_SYSTEM.map((path) => root + path), ...named];
  const steps: Step[] = homes.flatMap((one) => below(one).map((pattern) => ({ pattern, home: one })));
  steps.push(...others.map((pattern) => ({ pattern, home })));
  const found = new Map<string, StartupText | undefined>();
  const isForeign = (path: string, { home: own, by }: Step) =>
    DEVICE.test(path) || (by && OF_SYSTEM.test(path)) || (isWithin(path, workspace) && !isWithin(own, workspace));
  const mentioned = new Set<string>(programs);
  const met = new Set<string>();
  for (const step of steps)
    for (const path of expand(step.pattern)) {
      // What cannot be looked at here cannot inside either.
      const real = quietly(() => realpathSync.native(path)) ?? '/dev/null';
      met.add(real);
      if (found.has(real) || found.size >= MOST_FILES || isForeign(real, step)) continue;
      const shown = step.home === home && isWithin(path, home) ? `~${path.slice(home.length)}` : path;
      const reading = quietly(() => read(real, shown, step));
      found.set(real, reading);
      if (reading !== undefined) steps.push(...takenIn(reading, step.home, mentioned));
    }
  return { texts: [...found.values()].filter((reading) => reading !== undefined), met: [...met] };
}

/** What stands there may be anything: nothing may hang on it. */
function read(path: string, shown: string, { by, perhaps }: Step): StartupText | undefined {
  const kind = kindOf(path, by);
  const { text, stats } = textAt(path);
  const odd = text.includes('\0') || stats.size > LARGEST;
  if (stats.isDirectory() || (perhaps && (odd || text.startsWith('#!')))) return undefined;
  return { path, shown, kind, text: odd ? undefined : text };
}

function kindOf(path: string, by: StartupText | undefined): StartupText['kind'] {
  if (by !== undefined && isOfOthers(path)) return 'others';
  const exported = joined(by?.text ?? '')
    .split('\n')
    .some((line) => exportsAll(line, by?.kind ?? 'shell'));
  if (exported || LIST.test(path)) return 'list';
  if (path.endsWith('.nu')) return 'nushell';
  return by?.kind === 'fish' || path.endsWith('.fish') ? 'fish' : 'shell';
}

function textAt(path: string): { readonly text: string; readonly stats: Stats } {
  return reading(path, 'followed', (descriptor, stats) => {
    const bytes = Buffer.alloc(stats.isFile() && stats.size <= LARGEST ? stats.size : 1);
    return { text: stats.isFile() ? bytes.toString('latin1', 0, readSync(descriptor, bytes)) : '\0', stats };
  });
}

/** What a file takes in. Where a variable tells the folder, or all of it, it may be any path that was mentioned so far. */
function takenIn(reading: StartupText, home: string, mentioned: Set<string>): Step[] {
  if (reading.kind === 'others') return [];
  const plain = (code: string) =>
    withoutQuotes(Buffer.from(code, 'latin1').toString())
      .replace(/\$\{\w+:?[-=]([^{}]*)\}/g, '$1')
      .replace(/(?<![\w./])~(?=\/)|\$HOME\b|\$\{HOME\}/g, () => home);
  const text = joined(reading.text ?? '');
  const named = (name: string) =>
    name.includes('/') || name === ''
      ? [name]
      : ['bin', '.local/bin']
          .map((folder) => `${home}/${folder}`)
          .concat(...mentioned)
          .map((one) => `${one}/${name}`);
  for (const path of plain(text).match(/(?<![\w.*/])\/[\w./@+{},*-]+/g) ?? []) mentioned.add(path);
  const steps = [...(MAY_TAKE_IN.test(text) ? text.matchAll(TAKES_IN) : [])].flatMap(([, word = '']) => {
    const tail = /^\$\{?\w+\}?(.*)$/s.exec(plain(word))?.[1];
    const paths = tail === undefined ? named(plain(word)) : [...mentioned].map((folder) => folder + tail);
    const patterns = paths.map((path) => path.replace(/[$`].*?(?=\/|\.\w+$|$)/g, '*'));
    return patterns.map((pattern) => ({ pattern, home, by: reading, perhaps: tail === '' }));
  });
  const folders = /\bZDOTDIR=/.test(text) ? [...mentioned] : [];
  return [...steps, ...folders.flatMap((folder) => ZSH.map((name) => ({ pattern: `${folder}/${name}`, home })))];
}

/** The paths that are there for a pattern with `{,}` and `*`. */
function expand(pattern: string): string[] {
  if (!/[*?[{]/.test(pattern)) return pattern.startsWith('/') && existsSync(pattern) ? [pattern] : [];
  const [braces, choices] = /\{([^{}]*,[^{}]*)\}/.exec(pattern) ?? [];
  if (braces !== undefined && choices !== undefined)
    return choices.split(',', 16).flatMap((choice) => expand(pattern.replace(braces, () => choice)));
  let paths = pattern.startsWith('/') ? [''] : [];
  for (const part of pattern.split('/').slice(1)) {
    const [start = '', ...rest] = part.split(/[*?]|\[[^\]]*\]/);
    const fits = (name: string) => name.startsWith(start) && name.endsWith(rest.at(-1) ?? '');
    const names = (folder: string) => namesIn(`${folder}/`).filter(fits);
    paths = paths.flatMap((path) => (rest.length === 0 ? [part] : names(path)).map((name) => `${path}/${name}`));
  }
  return paths.slice(0, MOST_FILES).filter((path) => existsSync(path));
}
