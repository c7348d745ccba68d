import { closeSync, existsSync, fstatSync, readSync, realpathSync, type Stats } from 'node:fs';
import { type Decision, decider } from '../../decide/decide.ts';
import { type Bytes, showBytes } from '../../host/bytes.ts';
import { namesIn, openToRead } from '../../host/files.ts';
import { isWithin } from '../../host/folders.ts';
import type { ParentEnv } from '../../host/parent-env.ts';
import type { Policy } from '../../policy/policy.ts';
import {
  cutUp,
  exportsAll,
  type Fault,
  faultsIn,
  isSecret,
  literalOf,
  type StartupKind,
  type Unit,
  WORD,
  withoutHarmless,
  withoutQuotes,
} from './faults.ts';

export interface StartupPolicy {
  readonly passes: (name: Bytes, value: Bytes) => boolean;
  /** Whether a value of the parent that is dropped and looks like a credential stands in a text. */
  readonly holdsDropped: (text: string) => boolean;
  /** Whether there is any such value. */
  readonly drops: boolean;
}

/** What a start-up file loses, and where; never a value. */
export interface StartupNote {
  readonly path: string;
  /** As the user knows it, `~/.bashrc`. */
  readonly file: string;
  readonly line: number;
  /** The variable; empty where there is none to tell. */
  readonly name: Bytes;
  readonly saying: string;
  readonly hidden: boolean;
}

/** What stands in the place of a start-up file; an empty text when the whole file is left out. */
export interface StartupFile {
  readonly path: string;
  readonly text: Bytes;
  readonly notes: readonly StartupNote[];
}

interface Examined {
  readonly files: readonly StartupFile[];
  /** All that were looked at: which values of the parent stand in them decides too. */
  readonly read: readonly string[];
  /** All that were come upon, also those that are somebody else's. */
  readonly met: readonly string[];
}

/** No shorter value is worth looking for in a text. */
const SHORTEST_SECRET = 8;

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

/**
 * Shells inside read the very files where people export their keys. Of each file that would bring back what the policy drops there
 * is a copy with those lines blank or, where such a line is part of something larger, an empty one.
 */
export function examineStartup(places: StartupPlaces, policy: StartupPolicy): Examined {
  const { readings, met } = startupFiles(places);
  const all = new Map(readings.map((reading) => [reading, faultsOf(reading, policy)]));
  addTraces(all);
  const files = [...all].flatMap(([reading, faults]) => standInFor(reading, faults, policy));
  return { files, read: readings.map(({ path }) => path), met };
}

/** Whether it makes no difference to what was come upon that this is the workspace, and which values the parent has. */
export function isSameAnywhere(
  { read: files, met }: Pick<Examined, 'read' | 'met'>,
  { homes, workspace }: Pick<StartupPlaces, 'homes' | 'workspace'>,
  { drops, holdsDropped }: StartupPolicy,
): boolean {
  const isOfHome = homes.length > 0 && homes.every((home) => isWithin(home, workspace));
  return (
    (isOfHome || !met.some((path) => isWithin(path, workspace))) &&
    !(drops && files.some((path) => holdsDropped(quietly(() => textAt(path).text) ?? '')))
  );
}

type Faults = Map<Unit, Fault[]>;

function faultsOf({ units = [], kind }: StartupReading, { passes, holdsDropped }: StartupPolicy): Faults {
  const found = units.map((unit): [Unit, Fault[]] => {
    const faults = isPublic(unit) ? [] : faultsIn(unit.text, unit.comment ? 'comment' : kind, passes);
    return [unit, holdsDropped(unit.text) ? [...faults, { what: 'holds', name: '' }] : faults];
  });
  return new Map(found.filter(([, faults]) => faults.length > 0));
}

/** A name that is exported anywhere can get its value in more ways than a list could hold, and a value may stand twice. */
function addTraces(all: ReadonlyMap<StartupReading, Faults>): void {
  const faults = [...all.values()].flatMap((found) => [...found.values()].flat());
  const exported = faults.filter(({ what, instead }) => instead === undefined && /^(?:sets|exports)$/.test(what));
  const names = [...new Set(exported.map(({ name }) => name))];
  const given = new RegExp(
    String.raw`(?<![\w$/.-]|\$\{)(?:${names.join('|')})(?![\w/.-])|\$\{(?:${names.join('|')}):?=`,
  );
  const isGiven = ({ comment, text }: Unit) => !comment && names.some((name) => text.includes(name));
  const secrets = faults
    .flatMap(({ name, value = '' }) => (isSecret(name, value) ? literalOf(value).split(/[\s()`$]+/) : []))
    .filter((secret) => secret.length >= SHORTEST_SECRET);
  for (const [{ units = [] }, found] of all)
    for (const unit of units.filter((one) => !found.has(one))) {
      const name =
        isGiven(unit) && !isPublic(unit) ? given.exec(withoutHarmless(unit.text))?.[0].replace(/\W/g, '') : undefined;
      if (name !== undefined) found.set(unit, [{ what: 'sets', name }]);
      else if (secrets.some((secret) => unit.text.includes(secret))) found.set(unit, [{ what: 'holds', name: '' }]);
    }
}

/** A certificate looks as random as a key, and is for everybody. What is a key between two of them is a unit of its own. */
const PUBLIC =
  /^-----BEGIN ((?:TRUSTED )?CERTIFICATE|X509 CRL|PUBLIC KEY)-----\r?\n(?:[A-Za-z0-9+/]{1,76}={0,2}\r?\n){1,999}-----END \1-----[ \t]*\r?(?:\n|$)/gm;

function isPublic({ text }: Unit): boolean {
  return text.startsWith('-----BEGIN ') && text.replace(PUBLIC, '') === '';
}

/** As `cutUp`, with each certificate by itself. */
function cutAround(text: string): ReturnType<typeof cutUp> {
  const units: Unit[] = [];
  let [at, line, sure] = [0, 1, true];
  const add = (piece: string, cut: ReturnType<typeof cutUp>) => {
    for (const unit of cut.units) units.push({ ...unit, line: line + unit.line - 1 });
    line += piece.split('\n').length - 1;
    at += piece.length;
    sure &&= cut.sure;
  };
  for (const { 0: block, index } of text.matchAll(PUBLIC)) {
    add(text.slice(at, index), cutUp(text.slice(at, index)));
    add(block, { units: [{ line: 1, text: block, alone: true, comment: false }], sure: true });
  }
  add(text.slice(at), cutUp(text.slice(at)));
  return { units, sure };
}

function standInFor(reading: StartupReading, faults: Faults, policy: StartupPolicy): StartupFile[] {
  const { path, shown, units, sure } = reading;
  const note = (line: number, { name }: Fault, saying: string, hidden = false): StartupNote => ({
    path,
    file: showBytes(shown as Bytes),
    line,
    name: name as Bytes,
    saying,
    hidden,
  });
  const empty = (line: number, fault: Fault, saying: string): StartupFile[] => [
    { path, text: '' as Bytes, notes: [note(line, fault, `${saying}: the whole file is left out`, true)] },
  ];
  const credential: Fault = { what: 'holds', name: '' };
  if (units === undefined) return empty(1, credential, 'is not a text of up to 1 MiB');
  for (const [unit, found] of faults)
    for (const fault of found) {
      if (fault.what === 'runs') return empty(unit.line, fault, sayingOf(fault));
      if (fault.instead === undefined && !(sure && (unit.alone || unit.comment)))
        return empty(unit.line, fault, `${sayingOf(fault)} in a construct of several lines`);
    }
  const notes = [...faults].flatMap(([unit, found]) =>
    found.map((fault) =>
      note(unit.line, fault, `${sayingOf(fault)}: ${fault.instead ? 'not exported in' : 'left out of'} the copy`),
    ),
  );
  const text = units.map((unit) => copied(unit, faults.get(unit))).join('') as Bytes;
  if (policy.holdsDropped(text)) return empty(1, credential, sayingOf(credential));
  return notes.length === 0 ? [] : [{ path, text, notes }];
}

/** What is left out leaves its empty lines, so that the others keep their numbers. Comments go too: one may hold an old key. */
function copied({ text, comment }: Unit, faults: readonly Fault[] | undefined): string {
  if (faults === undefined && !comment) return text;
  return (faults?.[0]?.instead ?? '') + text.replace(/[^\n]+/g, '');
}

function sayingOf({ what, name }: Fault): string {
  if (what === 'runs') return 'exports names that only a run can tell';
  return what === 'takes' ? 'takes in a file whose name only a run can tell' : `${what} ${name || 'a credential'}`;
}

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

interface StartupReading {
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
const OF_OTHERS = new Set(
  `.nvm .bash_it .antigen .antidote .zplug .zinit .zim .zprezto .fzf .asdf .sdkman .pyenv .rbenv .nodenv .jenv .goenv .volta .bun .deno
  .ghcup .opam .cargo .rustup miniconda miniconda3 miniforge miniforge3 anaconda anaconda3 anaforge anaforge3 mambaconda mambaconda3
  mambaforge mambaforge3 powerlevel10k .powerlevel10k`.split(/\s+/),
);

function isOfOthers(path: string): boolean {
  if (/^\/(?:usr\/(?!local\/)|nix\/|snap\/)/.test(path)) return true;
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
  readonly by?: StartupReading;
  /** It is only mentioned. */
  readonly perhaps?: boolean;
}

interface Found extends Pick<Examined, 'met'> {
  readonly readings: readonly StartupReading[];
}

/** The start-up files that are there, and those that they take in. */
function startupFiles({ homes, zdotdir, config, named, workspace, root = '' }: StartupPlaces): Found {
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
    DEVICE.test(path) || (by && isOfOthers(path)) || (isWithin(path, workspace) && !isWithin(own, workspace));
  const mentioned = new Set<string>();
  const met = new Set<string>();
  for (const step of steps)
    for (const path of expand(step.pattern)) {
      const real = quietly(() => realpathSync.native(path)) ?? '/dev/null';
      met.add(real);
      if (found.has(real) || found.size >= MOST_FILES || isForeign(real, step)) continue;
      const shown = step.home === home && isWithin(path, home) ? `~${path.slice(home.length)}` : path;
      const reading = quietly(() => read(real, shown, step));
      found.set(real, reading);
      if (reading !== undefined) steps.push(...takenIn(reading, step.home, mentioned));
    }
  return { readings: [...found.values()].filter((reading) => reading !== undefined), met: [...met] };
}

/** What stands there may be anything: nothing may hang on it. */
function read(path: string, shown: string, { by, perhaps }: Step): StartupReading | undefined {
  const language = by?.kind === 'fish' || path.endsWith('.fish') ? 'fish' : 'shell';
  const exported = by?.units?.some((unit) => exportsAll(unit.text, by.kind));
  const kind = exported || LIST.test(path) ? 'list' : language;
  const { text, stats } = textAt(path);
  const odd = text.includes('\0') || stats.size > LARGEST;
  if (stats.isDirectory() || (perhaps && (odd || text.startsWith('#!')))) return undefined;
  if (odd) return { path, shown, kind, units: undefined, sure: false };
  return { path, shown, kind, ...(perhaps ? cutAround(text) : cutUp(text)) };
}

function textAt(path: string): { readonly text: string; readonly stats: Stats } {
  const descriptor = openToRead(path, 'followed');
  try {
    const stats = fstatSync(descriptor);
    const bytes = Buffer.alloc(stats.isFile() && stats.size <= LARGEST ? stats.size : 1);
    return { text: stats.isFile() ? bytes.toString('latin1', 0, readSync(descriptor, bytes)) : '\0', stats };
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
  const steps = [...(MAY_TAKE_IN.test(text) ? text.matchAll(TAKES_IN) : [])].flatMap(([, word = '']) => {
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

/** What cannot be looked at here cannot inside either. */
function quietly<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
