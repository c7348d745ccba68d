import { dirname, join } from 'node:path';
import { type Bytes, wordsIn } from '../../host/bytes.ts';
import { type Folders, isWithin } from '../../host/folders.ts';
import type { FilesystemPolicy } from '../../policy/policy.ts';
import { HIDDEN_IN_HOME, HIDDEN_IN_SYSTEM } from './credentials.ts';
import {
  below,
  canBeHidden,
  distinct,
  isPersonal,
  isWithinAny,
  literally,
  openFacts,
  outermostFirst,
  type Path,
  type PathPattern,
  type PlaceFacts,
  pathOf,
  pathsOf,
  patternBelow,
} from './facts.ts';
import type { Operation, OperationOf } from './operation.ts';
import { COMES_BACK_IN_HOME, SHOWN_IN_HOME, type ShownGroup, STARTUP_IN_HOME, STARTUP_IN_SYSTEM } from './shown.ts';
import { builtRoot, type SystemLinks } from './system.ts';

/** A file whose text stands in for what the host has there. */
interface Copy {
  readonly path: Path;
  readonly text: Bytes;
  /** Of a credential: the real one stays hidden, and what the command makes of this one is kept nowhere. */
  readonly hides?: boolean;
}

export interface ComposerFacts extends PlaceFacts {
  readonly own: OwnPlaces;
  readonly links: SystemLinks;
  /** The folder in which layers are kept; undefined: in memory. */
  readonly aside: Path | undefined;
  /** Where what was put aside is kept when the command has ended; undefined: it is lost then. */
  readonly changes?: ChangesPlace | undefined;
}

export interface ChangesPlace {
  readonly folder: Path;
  readonly days: number;
  readonly bytes: number;
  /** What comes back in the next launch, of this policy alone; undefined: nothing does. */
  readonly kept?: { readonly folder: Path; readonly policy: string } | undefined;
  /** Kept although they look like credentials. */
  readonly save: readonly Path[];
}

/** Files without what the policy drops, and those that cannot be understood, so that nothing stands there. */
export interface Copies {
  readonly copies: readonly Copy[];
  readonly absent: readonly Path[];
}

export const NO_COPIES: Copies = { copies: [], absent: [] };

export interface PlacesInput extends ComposerFacts {
  /** A shim is written once and started later: what shells read at their start, which depends on the environment, is not there. */
  readonly use: { readonly as: 'run' | 'shim'; readonly files: Copies };
}

/**
 * What a command finds where. Thought alone: nothing is looked up on the disk, so that a plan holds wherever and whenever it is started.
 * The order of the lines, later ones over earlier ones:
 * 1. the root, and everything private that is empty,
 * 2. homes as layers, with what is shown of them and what is hidden wherever it lies,
 * 3. the workspace,
 * 4. what the policy reads, writes and exposes by name,
 * 5. Cordon's own, which nothing lifts.
 */
export function placesOf(policy: FilesystemPolicy, input: PlacesInput): Operation[] {
  const homes = homesFor(policy, input);
  return [
    ...rootFor(policy, input),
    ...outermostFirst([...scratchFor(policy, input), ...homes]),
    ...(homes.length === 0 ? [] : showing(policy, openFacts(input), homes)),
    ...(policy.preset === 'all' ? [] : [...allHides(policy, input), ...copies(policy, input)]),
    ...hiddenByPolicy(policy),
    ...workspaceFor(policy),
    ...namedByPolicy(policy, input),
    ...keepOperations(input.own),
    ...surroundings(policy, input),
  ];
}

const at = (text: string) => pathOf(text) as Path;
const isBuilt = ({ preset }: FilesystemPolicy) => preset === 'workspace' || preset === 'minimal';
const hasAll = (paths: readonly string[]) => pathsOf(paths).includes(at('/'));

/** The preset says it, unless the policy names the whole of `/`. */
function rootFor(policy: FilesystemPolicy, { links }: PlacesInput): Operation[] {
  if (isWholeWritable(policy)) return [{ kind: 'root', from: 'writable' }];
  if (isBuilt(policy) && !hasAll(policy.read))
    return [...builtRoot(links), { kind: 'try-read', path: literally(at('/sys')) }];
  return [
    { kind: 'root', from: 'machine' },
    { kind: 'cut', path: at('/') },
  ];
}

function isWholeWritable({ preset, read, write, expose }: FilesystemPolicy): boolean {
  return !hasAll(read) && (preset === 'all' || hasAll(write) || hasAll(expose));
}

type Scratch = OperationOf<'private'> | { readonly kind: 'run'; readonly path: Path };

/** Empty folders of the command's own, where everyone else's sockets and temporary files are outside. */
function scratchFor(policy: FilesystemPolicy, { runtime }: PlaceFacts): Scratch[] {
  if (isWholeWritable(policy)) return [];
  const elsewhere = runtime !== undefined && !isWithinAny(runtime, ['/run', '/tmp', '/var/tmp', '/dev', '/proc']);
  return [
    { kind: 'private', path: at('/tmp'), mode: '1777' },
    { kind: 'private', path: at('/var/tmp'), mode: '1777' },
    { kind: 'run', path: at('/run') },
    ...(elsewhere ? [{ kind: 'private', path: runtime, mode: '0700' } as const] : []),
  ];
}

/** Homes of daemons: folders of the system in which nobody keeps anything of their own. */
const NOT_HOMES = new Set(
  wordsIn(`
    / /bin /boot /dev /dev/shm /etc /gnu /home /lib /lib64 /media /mnt /nix /opt /proc /run /sbin /srv /sys /tmp /usr
    /usr/bin /usr/games /usr/lib /usr/local /usr/local/bin /usr/sbin /usr/share /var /var/lib /var/run /var/tmp
`),
);

type Home = OperationOf<'home' | 'layer'>;

/** A home is a layer in which only what is shown is there. One that the policy reads shows everything but known credentials. */
function homesFor(policy: FilesystemPolicy, facts: PlaceFacts): Home[] {
  if (policy.preset === 'all' || policy.preset === 'minimal' || isWholeWritable(policy)) return [];
  const writable = pathsOf([...policy.write, ...policy.expose]);
  const read = pathsOf(policy.read);
  return personalFolders(facts)
    .filter((home) => !NOT_HOMES.has(home) && !isWithinAny(home, writable))
    .map((path) => ({ kind: isWithinAny(path, read) ? 'layer' : 'home', path }));
}

/** The homes, and folders of settings that variables moved out of every home. */
function personalFolders({ homes, moved }: PlaceFacts): Path[] {
  const elsewhere = moved.filter(
    ([usual, place]) => isPersonal(usual) && !isWithinAny(place, homes) && !homes.some((home) => isWithin(home, place)),
  );
  return distinct([...homes, ...elsewhere.map(([, place]) => place)]);
}

/** The preset `workspace` shows of a home only the programs that PATH leads to; whose commits these are is a copy. */
function showing(policy: FilesystemPolicy, facts: ComposerFacts, homes: readonly Home[]): Operation[] {
  const isBare = policy.preset === 'workspace';
  const groups = isBare ? [] : SHOWN_IN_HOME;
  const layers = homes.map(({ path }) => literally(path));
  const inHomes = (paths: readonly PathPattern[]) => distinct(paths).filter((path) => isWithinAny(path, layers));
  const named = (paths: readonly Path[]) => inHomes(paths.map(literally));
  return [
    ...groups.map(
      ({ what, places }): Operation => ({
        kind: 'show',
        paths: inHomes(inEveryHome(places, facts)),
        why: what,
      }),
    ),
    { kind: 'show', paths: isBare ? [] : named(zshFolder(facts)), why: "zsh's own folder (ZDOTDIR)" },
    { kind: 'show', paths: named(pathsOf(policy.show)), why: 'the policy shows it' },
    { kind: 'show', paths: named(facts.own.shown), why: "Cordon's programs and policies" },
    { kind: 'show-programs' },
  ];
}

/** Places of a home in each home, and in the folders that variables moved. */
export function inEveryHome(places: ShownGroup['places'], { homes, moved }: PlaceFacts): PathPattern[] {
  const usual = homes.flatMap((home) => places.map((place) => patternBelow(home, place)));
  const elsewhere = moved.flatMap(([folder, place]) =>
    places
      .filter((one) => isWithin(one, folder))
      .map((one) => one.slice(folder.length))
      .filter((rest) => canBeHidden(below(place, rest), { homes }))
      .map((rest) => patternBelow(place, rest)),
  );
  return distinct([...usual, ...elsewhere]);
}

const ZSH_FILES = ['.zshenv', '.zprofile', '.zshrc', '.zlogin', '.zlogout'];

function zshFolder({ zdotdir, homes }: PlaceFacts): Path[] {
  return zdotdir === undefined || homes.includes(zdotdir) ? [] : ZSH_FILES.map((name) => below(zdotdir, name));
}

type Hide = OperationOf<'hide'>;

/** Why, of what the policy itself hides. */
export const HIDDEN_BY_POLICY = 'the policy hides it';

function allHides(policy: FilesystemPolicy, input: PlacesInput): Hide[] {
  const copied = new Set(
    copiesOf(input)
      .copies.filter(({ hides }) => hides !== true)
      .map(({ path }) => literally(path)),
  );
  return [...hides(policy, input), POWERLESS, ...startupHides(input)].flatMap((group) => without(group, copied));
}

/** What promises ids of others is not true inside: programs that find it ask for them and fail, where without it they do with one. */
const POWERLESS: Hide = {
  kind: 'hide',
  why: 'ids for newuidmap, which has no power inside',
  paths: pathsOf(['/etc/subuid', '/etc/subgid']).map(literally),
};

const copiesOf = ({ use }: PlacesInput): Copies => use.files;

/** Credentials wherever they may lie, also where a workspace or the policy brings them in. Only `expose`, or showing the very path, lifts it. */
export function hides(policy: FilesystemPolicy, facts: PlaceFacts): Hide[] {
  const shown = new Set(pathsOf(policy.show).map(literally));
  const groups: Hide[] = [
    ...HIDDEN_IN_HOME.map(({ why, places }): Hide => ({ kind: 'hide', why, paths: inEveryHome(places, facts) })),
    ...HIDDEN_IN_SYSTEM.map(
      ({ why, places }): Hide => ({ kind: 'hide', why, paths: places.map((place) => patternBelow(at('/'), place)) }),
    ),
    ...facts.named
      .filter(({ path }) => canBeHidden(path, facts))
      .map(({ path, why }): Hide => ({ kind: 'hide', why, paths: [literally(path)] })),
  ];
  return groups.flatMap((group) => without(group, shown));
}

function without(group: Hide, lifted: ReadonlySet<PathPattern>): Hide[] {
  const paths = group.paths.filter((path) => !lifted.has(path));
  return paths.length === 0 ? [] : [{ ...group, paths }];
}

function startupHides(input: PlacesInput): Hide[] {
  const unclear: Hide = {
    kind: 'hide',
    paths: copiesOf(input).absent.map(literally),
    why: 'settings and start-up files that cannot be understood',
  };
  if (input.use.as === 'run') return [unclear];
  const others = [...zshFolder(input), ...pathsOf(STARTUP_IN_SYSTEM)];
  return [
    unclear,
    {
      kind: 'hide',
      paths: distinct([...inEveryHome(STARTUP_IN_HOME, input), ...others.map(literally)]),
      why: 'start-up files of shells',
    },
  ];
}

/** Stays hidden where the policy exposes a folder around it. */
export function hiddenByPolicy({ hide }: FilesystemPolicy): OperationOf<'keep-out'>[] {
  const paths = pathsOf(hide)
    .filter((path) => path !== '/')
    .map(literally);
  return paths.length === 0 ? [] : [{ kind: 'keep-out', paths, why: HIDDEN_BY_POLICY }];
}

/** Where the policy exposes the real file, no copy stands in for it; where it hides it, only one that is there for that. */
function copies({ expose, hide }: FilesystemPolicy, input: PlacesInput): Operation[] {
  const [real, hidden] = [pathsOf(expose), pathsOf(hide)];
  return copiesOf(input)
    .copies.filter(({ path }) => !isWithinAny(path, real))
    .filter(({ path, hides }) => hides === true || !isWithinAny(path, hidden))
    .map(({ path, text }) => ({ kind: 'data', path, text }));
}

function workspaceFor({ preset, workspace, read }: FilesystemPolicy): Operation[] {
  const folder = workspace.folder === undefined ? 'here' : pathOf(workspace.folder);
  const isInRead = folder !== undefined && isWithinAny(folder, pathsOf(read));
  const isThere = preset === 'all' && workspace.mode === 'real' && !isInRead;
  const isUnasked = preset === 'minimal' && folder === 'here';
  if (folder === undefined || isThere || isUnasked) return [];
  return [{ kind: 'workspace', path: folder, mode: workspace.mode }];
}

type Named = OperationOf<'try-read' | 'try-write' | 'write-plain' | 'write-project' | 'expose-read' | 'expose-write'>;

/** Of several sayings about one path the strictest counts, of those about several the innermost. What shows a whole home made a layer of it already. */
export function namedByPolicy(policy: FilesystemPolicy, { homes }: Pick<PlaceFacts, 'homes'>): Named[] {
  const [hide, read, write, expose] = [policy.hide, policy.read, policy.write, policy.expose].map((paths) =>
    distinct(pathsOf(paths)).filter((path) => path !== '/'),
  ) as [Path[], Path[], Path[], Path[]];
  const exposed = expose.filter((path) => !hide.includes(path));
  const isLayered = (path: Path) => !isBuiltWithoutHomes(policy) && homes.some((home) => isWithin(home, path));
  const reading = read.filter((path) => !exposed.includes(path) && !isLayered(path));
  const plain = pathsOf(policy.said?.plain ?? []);
  const projects = policy.said?.projects ?? [];
  const writing = write.filter((path) => !read.includes(path) && !exposed.includes(path));
  return outermostFirst([
    ...reading.map((path): Named => ({ kind: 'try-read', path: literally(path) })),
    ...writing.map((path): Named => ({ kind: plain.includes(path) ? 'write-plain' : 'try-write', path })),
    ...projects.flatMap(({ folder, aside }): Named[] =>
      pathsOf([folder]).map((path) => ({ kind: 'write-project', path, aside })),
    ),
    ...exposed.map((path): Named => ({ kind: read.includes(path) ? 'expose-read' : 'expose-write', path })),
  ]);
}

const isBuiltWithoutHomes = ({ preset }: FilesystemPolicy) => preset === 'minimal' || preset === 'all';

/** A shim that only filters variables leaves everything between processes as it is. */
function surroundings(policy: FilesystemPolicy, input: PlacesInput): Operation[] {
  const { preset, explicit } = policy;
  const { aside, use } = input;
  if (preset === 'all' && !explicit && use.as === 'shim')
    return [{ kind: 'proc' }, { kind: 'dev' }, { kind: 'ipc-host' }];
  return [
    { kind: 'proc' },
    { kind: 'dev' },
    ...(aside === undefined ? [] : [{ kind: 'aside', path: aside } as const]),
    ...keeping(policy, input),
    ...(preset === 'all' ? [] : [{ kind: 'mention' } as const]),
  ];
}

/** What is put aside stays when the command ends: for people to look at, and caches and agents' settings for the next launch. */
function keeping({ preset, workspace, show }: FilesystemPolicy, input: PlacesInput): Operation[] {
  const { changes } = input;
  const putsAside = preset === 'guarded' || preset === 'workspace' || workspace.mode === 'aside';
  if (changes === undefined || !putsAside) return [];
  const { folder, days, bytes, kept, save } = changes;
  return [
    { kind: 'changes', path: folder, days, bytes },
    ...(kept === undefined
      ? []
      : [
          { kind: 'kept', path: kept.folder, policy: kept.policy } as const,
          { kind: 'come-back', paths: inEveryHome(COMES_BACK_IN_HOME, input), why: 'caches come back' } as const,
          {
            kind: 'come-back',
            paths: distinct(pathsOf(show)).map(literally),
            why: "an agent's settings come back",
          } as const,
        ]),
    { kind: 'save', paths: save.map(literally), why: 'kept although it may hold a credential' },
  ];
}

/** Cordon's own files: what nobody sees, what nobody changes, and what of the latter stands in a home. */
export interface OwnPlaces {
  readonly out: readonly PathPattern[];
  readonly read: readonly Path[];
  readonly shown: readonly Path[];
  /** Where it stands what git's settings were; undefined where Cordon has no folder of its own. */
  readonly gitNotes: Path | undefined;
}

/** In the configuration folder; what else may lie there later that is secret gets one of these names. */
export const OWN_SECRETS = ['secrets.yaml', 'secrets.yml', 'users', 'vault*', 'identity*', 'keys'];
/** Beside the shims: the program that runs them. */
export const LAUNCHER_FOLDER = 'launcher';
export const OWN_POLICIES = ['cordon.toml', 'profiles'];

interface OwnInput {
  /** Of every home Cordon ever used. */
  readonly homes: readonly Folders[];
  /** The package this code runs from. */
  readonly program: readonly string[];
  /** The files that the policy of this launch came from, wherever they lie, and what links among Cordon's policies lead to. */
  readonly policyFiles: readonly string[];
  /** What links among Cordon's secrets lead to. */
  readonly secretFiles: readonly string[];
  /** The folder in which layers are kept. */
  readonly layers: string | undefined;
  readonly state: string | undefined;
}

export function ownPlaces({ homes, program, policyFiles, secretFiles, layers, state }: OwnInput): OwnPlaces {
  const configs = pathsOf(homes.flatMap(({ config }) => config ?? []));
  const policies = configs.flatMap((config) => OWN_POLICIES.map((name) => below(config, name)));
  const bins = pathsOf(
    homes.flatMap(({ bin }) => (bin === undefined ? [] : [bin, join(dirname(bin), LAUNCHER_FOLDER)])),
  );
  const programs = pathsOf(program);
  return {
    out: distinct([
      ...configs.flatMap((config) => OWN_SECRETS.map((name) => patternBelow(config, name))),
      ...pathsOf([...secretFiles, ...homes.flatMap(({ state }) => state ?? []), layers ?? '']).map(literally),
    ]),
    read: distinct([...programs, ...bins, ...configs, ...policies, ...pathsOf(policyFiles)]),
    shown: distinct([...programs, ...bins, ...policies]),
    gitNotes: state === undefined ? undefined : pathOf(join(state, 'git')),
  };
}

/** In every preset, after everything that a policy says. The configuration is read-only as a whole, so that nothing can be added to it. */
export function keepOperations({ out, read, gitNotes }: OwnPlaces): Operation[] {
  return [
    { kind: 'keep-read', paths: read, why: "Cordon's programs and policies" },
    { kind: 'keep-out', paths: out, why: "Cordon's vault, secrets and records" },
    ...(gitNotes === undefined ? [] : [{ kind: 'git-notes', path: gitNotes } as const]),
  ];
}
