import { accessSync, constants, lstatSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { realPathOf } from '../host/files.ts';
import { isWithin } from '../host/folders.ts';
import { shellWord } from '../host/shell-word.ts';
import type { FoundInside, Looked } from '../launch/look.ts';
import { HIDDEN_BY_POLICY, isWithinPattern, literally, type Operation } from '../plan/places/index.ts';
import type { FilesystemPolicy, Policy, WorkspaceMode } from '../policy/policy.ts';
import { type Answer, givenAway, type PossibleChange, profileLine } from './answer.ts';

export interface PathQuestion {
  /** Absolute and plain. */
  readonly path: string;
  readonly found: FoundInside;
}

export interface PathSurroundings {
  readonly looked: Pick<Looked, 'isolation' | 'operations'>;
  readonly filesystem: FilesystemPolicy;
  /** Log-ins that are brokered. */
  readonly logIns?: Policy['logIns'];
  readonly home: string | undefined;
}

/**
 * The answer about one path. What becomes of it is what a process found that stood where the command would stand; the operations of the
 * same plan tell why.
 */
export function pathAnswer({ path, found }: PathQuestion, around: PathSurroundings): Answer {
  const outside = outsideOf(path);
  const question: AskedPath = { path, found, outside, names: [...new Set([path, outside.real])], ...around };
  const kind = outside.kind === 'socket' || found.kind === 'socket' ? 'socket' : 'path';
  return { kind, name: shortened(path, around.home), ...told(question) };
}

interface AskedPath extends PathQuestion, PathSurroundings {
  readonly outside: Outside;
  /** The path, and where it leads outside. */
  readonly names: readonly string[];
}

type Told = Pick<Answer, 'verdict' | 'reason' | 'aside' | 'change'>;

function told(question: AskedPath): Told {
  const { found, outside, looked } = question;
  if (looked.isolation === 'filter') return asOutside(question);
  const leadsNowhere = found.kind === 'link' && outside.kind !== 'link';
  const isThere = found.kind !== 'absent' && found.kind !== 'closed' && !leadsNowhere;
  if (!isThere) return outside.kind === 'absent' ? notThere(question) : hidden(question);
  if (outside.kind === 'socket' && found.filesystem === 'overlay')
    return {
      verdict: 'cut off',
      reason: 'sockets of the machine lead nowhere inside',
      change: widening('expose', question, 'to let it be connected to', 'whatever answers at this socket does'),
    };
  if (found.kind === 'link') return { verdict: 'absent', reason: 'it is a link that leads nowhere, outside too' };
  if (dataAt(question)) return copied(question);
  if (!found.read) return unreadable(question);
  if (!found.write) return readable(question);
  if (found.filesystem === 'overlay' || isPrivate(question)) return putAside(question);
  return real(question);
}

/** In a workspace what is hidden stays there, with a mode that lets nobody read it. */
const unreadable = (question: AskedPath): Told => (question.outside.read ? hidden(question) : CLOSED);

const CLOSED: Told = { verdict: 'closed', reason: 'you may not read it outside either' };

function asOutside({ outside }: AskedPath): Told {
  const what = outside.kind === 'absent' ? 'it is not there outside either' : 'files are as they are outside';
  return {
    verdict: outside.kind === 'absent' ? 'absent' : 'as outside',
    reason: `there is no barrier (isolation filter): ${what}`,
    change: { effect: 'to get the barrier', flag: '--isolation barrier', profile: '"isolation": "barrier"' },
  };
}

/** Not there outside, so nothing can be shown; what matters is what would become of it. */
function notThere(question: AskedPath): Told {
  const hide = hideOf(question);
  if (hide !== undefined)
    return { verdict: 'absent', reason: `it is not there outside either; if it were, it would be hidden: ${hide.why}` };
  const { found } = question;
  if (!found.write)
    return {
      verdict: 'absent',
      reason: 'it is not there outside either, and cannot be made inside',
      ...(may(found.near, constants.W_OK)
        ? { change: widening('write', { ...question, path: found.near }, 'to let it be made') }
        : {}),
    };
  const aside = found.filesystem === 'overlay' && !isPrivate(question);
  const lasting = aside ? 'would be put aside' : 'would be a real file';
  const fate = isPrivate(question) ? 'would be gone when it ends' : lasting;
  return { verdict: 'absent', reason: `it is not there outside either; what a command makes there ${fate}`, aside };
}

function hidden(question: AskedPath): Told {
  const { outside, filesystem, names } = question;
  if (!outside.read && outside.kind === 'closed') return CLOSED;
  const hide = hideOf(question);
  const isOwn = hide?.kind === 'keep-out' && hide.why !== HIDDEN_BY_POLICY;
  if (isOwn) return { verdict: 'hidden', reason: `${hide.why}, which no policy shows` };
  const logIn = question.logIns?.find(({ path, file }) => names.includes(path) || names.includes(file));
  if (logIn !== undefined)
    return {
      verdict: 'copy',
      reason: `the log-in of ${logIn.agent} with placeholders stands there, the real one is used from outside`,
      change: {
        effect: 'to show the real file',
        flag: 'leave out --broker',
        gives: givenAway('log-ins of coding agents'),
      },
    };
  const byPolicy = filesystem.hide.find((one) => names.some((name) => isWithin(name, one)));
  if (hide !== undefined && byPolicy !== undefined)
    return {
      verdict: 'hidden',
      reason: 'the policy hides it',
      change: { effect: 'to show it', flag: `leave out --hide ${shellWord(shortened(byPolicy, question.home))}` },
    };
  if (!outside.read)
    return { verdict: 'hidden', reason: `${hide?.why ?? whyNotShown(question)}; you may not read it outside either` };
  if (hide !== undefined)
    return {
      verdict: 'hidden',
      reason: hide.why.includes(' ') ? hide.why : `log-ins of ${hide.why}`,
      change: widening('expose', question, 'to show it', givenAway(hide.why)),
    };
  return { verdict: 'hidden', reason: whyNotShown(question), change: widening('read', question, 'to show it') };
}

function whyNotShown(question: AskedPath): string {
  const folder = privateAround(question);
  if (folder !== undefined)
    return `${folder} is the command's own${folder === '/proc' || folder === '/dev' ? '' : ', and empty'}`;
  if (isInHome(question))
    return 'of a home only what programs need, what the policy names and what PATH leads to is shown';
  return `the preset ${question.filesystem.preset} shows only what it lists`;
}

const isInHome = ({ looked, names }: AskedPath) =>
  looked.operations.some(
    (operation) => operation.kind === 'home' && names.some((name) => isWithin(name, operation.path)),
  );

function copied(question: AskedPath): Told {
  return {
    verdict: 'copy',
    reason: 'a copy without its secrets stands there; what is written to it is put aside',
    change: widening('expose', question, 'to show the real file', 'what the copy leaves out'),
  };
}

function readable(question: AskedPath): Told {
  const own = question.looked.operations.find(
    (operation) => operation.kind === 'keep-read' && covers(operation, question),
  );
  if (own !== undefined)
    return { verdict: 'read-only', reason: "Cordon's programs and policies, which no command changes" };
  const reason = reasonForReading(question);
  if (!question.outside.write) return { verdict: 'read-only', reason: `${reason}; you cannot write it outside either` };
  const effect = 'to let it be written';
  const { mode } = question.filesystem.workspace;
  const isWorkspace = reason === READ_ONLY_WORKSPACE && question.found.mount === question.outside.real;
  const byMode = isWorkspace || isExposedIn(mode, question);
  const change = byMode ? { effect, flag: `leave out --workspace ${mode}` } : widening('write', question, effect);
  return { verdict: 'read-only', reason, change };
}

const READ_ONLY_WORKSPACE = 'the workspace is read-only';

/** Its pieces are laid in one by one, and none of them can be a layer. */
const READ_ONLY_HOME = 'it is shown; in a home with mounts below it, as inside another sandbox, that can only be read';

/** What is exposed elsewhere is writable. */
const isExposedIn = (mode: WorkspaceMode, question: AskedPath) => mode !== 'real' && isNamed(question, 'expose-write');

function reasonForReading(question: AskedPath): string {
  if (isNamed(question, 'try-read', 'expose-read')) return 'the policy reads it';
  if (question.names.some((name) => /\/hooks(\/|$)/.test(name)))
    return 'git starts what stands there, later and outside';
  const { mode } = question.filesystem.workspace;
  if (isExposedIn(mode, question)) return `what is exposed in a workspace that is ${mode} can only be read`;
  if (mode === 'read-only') return READ_ONLY_WORKSPACE;
  return isInHome(question) ? READ_ONLY_HOME : 'outside the home and the workspace everything is read-only';
}

function putAside(question: AskedPath): Told {
  const folder = privateAround(question);
  const shown = question.looked.operations.find(
    (operation) => operation.kind === 'show' && covers(operation, question),
  );
  const change = widening('write', question, 'to keep what is written there');
  if (folder !== undefined)
    return {
      verdict: 'put aside',
      reason: `${folder} is the command's own; what is written there is gone when it ends`,
      ...(question.names.includes(folder) ? {} : { change }),
    };
  const why = shown?.kind === 'show' ? shown.why : 'on the way to what is shown, or PATH leads there';
  return { verdict: 'put aside', reason: `it is shown (${why}); what is written there is put aside`, change };
}

function real(question: AskedPath): Told {
  const byPolicy = isNamed(question, 'try-write', 'write-plain', 'write-project', 'expose-write');
  const whole = question.looked.operations.some((one) => one.kind === 'root' && one.from === 'writable');
  const other = whole ? 'the whole machine is as it is' : 'it is in the workspace';
  return {
    verdict: 'real',
    reason: `${byPolicy ? 'the policy lets it be written' : other}: what is written there stays`,
    change: widening('hide', question, 'to hide it'),
  };
}

const WORDS = { expose: 'expose', read: 'read', write: 'write', hide: 'hide' } as const;

function widening(word: keyof typeof WORDS, { path, home }: AskedPath, effect: string, gives?: string): PossibleChange {
  const short = shortened(path, home);
  return {
    effect,
    flag: `--${word} ${shellWord(short)}`,
    profile: profileLine({ section: 'filesystem', key: word, values: [short] }),
    gives,
  };
}

/** What is hidden there, by which reason; Cordon's own wins. */
function hideOf(question: AskedPath) {
  const hides = question.looked.operations.filter(
    (operation) => (operation.kind === 'hide' || operation.kind === 'keep-out') && covers(operation, question),
  ) as (Operation & { readonly kind: 'hide' | 'keep-out' })[];
  const own = hides.find(({ kind, why }) => kind === 'keep-out' && why !== HIDDEN_BY_POLICY);
  return own ?? hides[0];
}

function covers(operation: Operation, { names }: AskedPath): boolean {
  if (!('paths' in operation)) return false;
  const patterns = operation.kind === 'keep-read' ? operation.paths.map(literally) : operation.paths;
  return patterns.some((pattern) => names.some((name) => isWithinPattern(name, pattern)));
}

function isNamed({ looked, names }: AskedPath, ...kinds: readonly Operation['kind'][]): boolean {
  return looked.operations.some((operation) => {
    if (!kinds.includes(operation.kind) || !('path' in operation)) return false;
    if (operation.kind === 'try-read') return names.some((name) => isWithinPattern(name, operation.path));
    return names.some((name) => isWithin(name, operation.path));
  });
}

const dataAt = ({ looked, names }: AskedPath) =>
  looked.operations.some((operation) => operation.kind === 'data' && names.includes(operation.path));

/** The folder in memory that holds it, which nobody else sees. */
function privateAround({ looked, found, names }: AskedPath): string | undefined {
  const own = looked.operations.flatMap((operation) => {
    if (operation.kind === 'private') return [operation.path as string];
    return operation.kind === 'run' || operation.kind === 'dev' || operation.kind === 'proc'
      ? [`/${operation.kind}`]
      : [];
  });
  const near = [found.near, realPathOf(found.near)];
  const isIn = (paths: readonly string[], folder: string) => paths.some((path) => isWithin(path, folder));
  const around = own.filter((folder) => isIn(names, folder) && isIn(near, folder));
  const mount = found.mount ?? '/';
  return around.find(
    (folder) => folder === mount || (isWithin(mount, folder) && found.filesystem === 'tmpfs' && mount === '/dev/shm'),
  );
}

const isPrivate = (question: AskedPath) => privateAround(question) !== undefined;

interface Outside {
  readonly kind: FoundInside['kind'];
  readonly real: string;
  readonly read: boolean;
  readonly write: boolean;
}

function outsideOf(path: string): Outside {
  return {
    kind: kindOf(path),
    real: leadsTo(path),
    read: may(path, constants.R_OK),
    write: may(path, constants.W_OK),
  };
}

/** Links on the way to something absent lead somewhere, too. */
function leadsTo(path: string): string {
  if (path === '/' || kindOf(path) !== 'absent') return realPathOf(path);
  return join(leadsTo(dirname(path)), basename(path));
}

/** Of a path as it is outside; what cannot be told is `closed`. */
export function kindOf(path: string): FoundInside['kind'] {
  try {
    const found = statSync(path, { throwIfNoEntry: false }) ?? lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined) return 'absent';
    if (found.isSymbolicLink()) return 'link';
    if (found.isSocket()) return 'socket';
    return found.isDirectory() ? 'folder' : 'file';
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOTDIR' || code === 'ELOOP' || code === 'ENAMETOOLONG' ? 'absent' : 'closed';
  }
}

function may(path: string, how: number): boolean {
  try {
    accessSync(path, how);
    return true;
  } catch {
    return false;
  }
}

export function shortened(path: string, home: string | undefined): string {
  if (home === undefined || home === '/' || !isWithin(path, home)) return path;
  return `~${path.slice(home.length)}`;
}
