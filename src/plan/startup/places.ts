import { closeSync, existsSync, fstatSync, readdirSync, readSync, realpathSync } from 'node:fs';
import { openToRead } from '../../host/files.ts';
import { exportsAll, type StartupKind, WORD, withoutQuotes } from './faults.ts';
import { cutUp, type Unit } from './units.ts';

/** Where shells inside look, free of symbolic links. */
export interface StartupPlaces {
  readonly homes: readonly string[];
  readonly zdotdir?: string | undefined;
  /** Where `~/.config` really is, when a variable says so. */
  readonly config?: string | undefined;
  /** Files that variables of the parent name. */
  readonly named: readonly string[];
  readonly workspace: string;
  /** The root of the system, when it isn't `/`. */
  readonly root?: string;
}

export interface StartupReading {
  readonly path: string;
  /** As the user knows it. */
  readonly shown: string;
  readonly kind: StartupKind;
  /** No units: it cannot be looked at. */
  readonly units: readonly Unit[] | undefined;
  readonly sure: boolean;
}

const ZSH = ['.zshenv', '.zprofile', '.zshrc', '.zlogin', '.zlogout'];
const IN_HOME =
  `.profile .profile.d/* .bashrc .bashrc.d/* .bash_profile .bash_login .bash_logout .bash_aliases .bash_completion
  ${ZSH.join(' ')} .zsh/* .oh-my-zsh/custom/* .oh-my-bash/custom/* .kshrc .mkshrc .shrc .cshrc .tcshrc .login .xprofile .xsessionrc
  .pam_environment .config/environment.d/* .config/plasma-workspace/env/* .config/bash/* .config/zsh/* .config/fish/config.fish
  .config/fish/fish_variables .config/fish/conf.d/* .config/fish/functions/*`.split(/\s+/);
const IN_SYSTEM =
  `/etc/profile /etc/profile.d/* /etc/profile.local /etc/bash.bashrc /etc/bashrc /etc/bash.bash_logout /etc/zsh/*
  /etc/zshenv /etc/zprofile /etc/zshrc /etc/zlogin /etc/fish/config.fish /etc/fish/conf.d/* /etc/ksh.kshrc /etc/mkshrc
  /etc/csh.cshrc /etc/csh.login /etc/environment /etc/environment.d/* /etc/security/pam_env.conf`.split(/\s+/);
const LIST = /environment(?:\.d\/[^/]+)?$|fish_variables$|pam_env\.conf$/;
const DEVICE = /^\/(?:dev|proc|sys)\//;
/** Files of packages and version managers: nobody keeps keys there, and a copy would break them. */
const OF_OTHERS =
  /^\/(?:usr\/(?!local\/)|nix\/|snap\/)|\/(?:\.nvm|\.oh-my-(?:zsh|bash)(?!\/custom\/[^/]+$)|\.bash_it|\.antigen|\.antidote|\.zplug|\.zinit|\.zim|\.zprezto|\.fzf|\.asdf|\.sdkman|\.(?:py|rb|nod|j|go)env|\.volta|\.bun|\.deno|\.ghcup|\.opam|\.cargo|\.rustup|(?:mini|ana|mamba)(?:conda|forge)3?|\.?powerlevel10k)\//;
const TAKES_IN = new RegExp(
  String.raw`(?:^|[;&|({!\`"'\n]|\b(?:then|do|else|builtin|command))\s{0,99}\\?(?:\.|source)\s+(?:--?\s+)?(?![<=]\()(${WORD}+)`,
  'g',
);
const MOST_FILES = 300;
const LARGEST = 1 << 20;

interface Step {
  readonly pattern: string;
  readonly home: string;
  readonly by?: StartupReading;
  /** It is only mentioned. */
  readonly perhaps?: boolean;
}

/** The start-up files that are there, and those that they take in. */
export function startupFiles({ homes, zdotdir, config, named, workspace, root = '' }: StartupPlaces): StartupReading[] {
  const [home = '/'] = homes;
  const below = (folder: string | undefined, prefix = '') =>
    IN_HOME.filter((place) => folder && place.startsWith(prefix)).map(
      (place) => `${folder}/${place.slice(prefix.length)}`,
    );
  const others = [...below(zdotdir), ...below(config, '.config/'), ...IN_SYSTEM.map((path) => root + path), ...named];
  const steps: Step[] = homes.flatMap((one) => below(one).map((pattern) => ({ pattern, home: one })));
  steps.push(...others.map((pattern) => ({ pattern, home })));
  const found = new Map<string, StartupReading | undefined>();
  const isForeign = (path: string, { home: own, by }: Step) =>
    DEVICE.test(path) || (by && OF_OTHERS.test(path)) || (isWithin(path, workspace) && !isWithin(own, workspace));
  const mentioned = new Set<string>();
  for (const step of steps)
    for (const path of expand(step.pattern)) {
      const real = quietly(() => realpathSync.native(path)) ?? '/dev/null';
      if (found.has(real) || found.size >= MOST_FILES || isForeign(real, step)) continue;
      const shown = step.home === home && isWithin(path, home) ? `~${path.slice(home.length)}` : path;
      const reading = quietly(() => read(real, shown, step));
      found.set(real, reading);
      if (reading !== undefined) steps.push(...takenIn(reading, step.home, mentioned));
    }
  return [...found.values()].filter((reading) => reading !== undefined);
}

/** What stands there may be anything: nothing may hang on it. */
function read(path: string, shown: string, { by, perhaps }: Step): StartupReading | undefined {
  const language = by?.kind === 'fish' || path.endsWith('.fish') ? 'fish' : 'shell';
  const exported = by?.units?.some((unit) => exportsAll(unit.text, by.kind));
  const kind = exported || LIST.test(path) ? 'list' : language;
  const descriptor = openToRead(path, 'followed');
  try {
    const stats = fstatSync(descriptor);
    const bytes = Buffer.alloc(stats.isFile() && stats.size <= LARGEST ? stats.size : 1);
    const text = stats.isFile() ? bytes.toString('latin1', 0, readSync(descriptor, bytes)) : '\0';
    const odd = text.includes('\0') || stats.size > LARGEST;
    if (stats.isDirectory() || (perhaps && (odd || text.startsWith('#!')))) return undefined;
    return odd ? { path, shown, kind, units: undefined, sure: false } : { path, shown, kind, ...cutUp(text) };
  } finally {
    closeSync(descriptor);
  }
}

/** What a file takes in. Where a variable tells the folder, or all of it, it may be any path that was mentioned so far. */
function takenIn(reading: StartupReading, home: string, mentioned: Set<string>): Step[] {
  const plain = (code: string) =>
    withoutQuotes(Buffer.from(code, 'latin1').toString())
      .replace(/\$\{\w+:?[-=]([^{}]*)\}/g, '$1')
      .replace(/(?<![\w./])~(?=\/)|\$HOME\b|\$\{HOME\}/g, () => home);
  const text = (reading.units ?? []).map((unit) => unit.text).join('');
  for (const path of plain(text).match(/(?<![\w.*/])\/[\w./@+{},*-]+/g) ?? []) mentioned.add(path);
  const steps = [...text.matchAll(TAKES_IN)].flatMap(([, word = '']) => {
    const tail = /^\$\{?\w+\}?(.*)$/s.exec(plain(word))?.[1];
    const paths = tail === undefined ? [plain(word)] : [...mentioned].map((folder) => folder + tail);
    const patterns = paths.map((path) => path.replace(/[$`].*?(?=\/|\.\w+$|$)/g, '*'));
    return patterns.map((pattern) => ({ pattern, home, by: reading, perhaps: tail === '' }));
  });
  const folders = /\bZDOTDIR=/.test(text) ? [...mentioned] : [];
  return [...steps, ...folders.flatMap((folder) => ZSH.map((name) => ({ pattern: `${folder}/${name}`, home })))];
}

/** The paths that are there for a pattern with `{,}` and `*`. */
function expand(pattern: string): string[] {
  const [braces, choices] = /\{([^{}]*,[^{}]*)\}/.exec(pattern) ?? [];
  if (braces !== undefined && choices !== undefined)
    return choices.split(',', 16).flatMap((choice) => expand(pattern.replace(braces, () => choice)));
  let paths = pattern.startsWith('/') ? [''] : [];
  for (const part of pattern.split('/').slice(1)) {
    const [start = '', ...rest] = part.split(/[*?]|\[[^\]]*\]/);
    const fits = (name: string) => name.startsWith(start) && name.endsWith(rest.at(-1) ?? '');
    const names = (folder: string) => (quietly(() => readdirSync(`${folder}/`)) ?? []).filter(fits);
    paths = paths.flatMap((path) => (rest.length === 0 ? [part] : names(path)).map((name) => `${path}/${name}`));
  }
  return paths.slice(0, MOST_FILES).filter((path) => existsSync(path));
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || folder === '/' || path.startsWith(`${folder}/`);
}

/** What cannot be looked at here cannot inside either. */
function quietly<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
