import { normalize } from 'node:path';
import { isWithin } from '../host/folders.ts';
import { shellWord } from '../host/shell-word.ts';
import type { FoundInside, Looked } from '../launch/look.ts';
import type { NetworkPolicy } from '../policy/network/rules.ts';
import type { Answer, PossibleChange } from './answer.ts';
import { hostAnswer } from './hosts.ts';
import { kindOf, type PathSurroundings, pathAnswer, shortened } from './paths.ts';

/** What a command tried, as the launcher wrote it down: once each. */
export interface Attempt {
  readonly what: 'read' | 'write' | 'execute' | 'connect' | 'network';
  readonly path: string;
}

const WHAT: Readonly<Record<string, Attempt['what']>> = {
  r: 'read',
  w: 'write',
  x: 'execute',
  c: 'connect',
  n: 'network',
};

export function attemptsIn(list: Buffer): Attempt[] {
  return list
    .toString('utf8')
    .split('\0')
    .flatMap((entry) => {
      const what = WHAT[entry[0] ?? ''];
      const path = entry.slice(1);
      return what === undefined ? [] : [{ what, path: path.startsWith('/') ? plain(path) : path }];
    });
}

const plain = (path: string) => normalize(path).replace(/(?<=.)\/$/, '');

/** Something that the policy kept away or led elsewhere. */
export interface Traced {
  readonly what: Attempt['what'];
  readonly path: string;
  readonly verdict: string;
  readonly reason: string;
  /** How many paths stand behind this line. */
  readonly count: number;
  readonly change?: PossibleChange | undefined;
}

/** The kernel's own, of which a command has its own each time. */
const OWN = ['/proc', '/sys', '/dev'];

/** Paths that are worth a look. */
export function placesIn(attempts: readonly Attempt[]): string[] {
  const paths = attempts.filter(({ what }) => what !== 'network').map(({ path }) => path);
  return [...new Set(paths)].filter((path) => path.startsWith('/') && !OWN.some((own) => isWithin(path, own)));
}

export interface TraceInput {
  readonly attempts: readonly Attempt[];
  /** Those of `placesIn`, looked at. */
  readonly paths: readonly string[];
  readonly looked: Looked;
  readonly around: PathSurroundings;
  readonly network: NetworkPolicy;
}

/** Every attempt that met the policy, what has the same reason and lies in the same folder together. */
export function traced({ attempts, paths, looked, around, network }: TraceInput): Traced[] {
  const copied = new Set(looked.operations.flatMap((one) => (one.kind === 'data' ? [one.path as string] : [])));
  const at = new Map(paths.map((path, index) => [path, index]));
  const met = attempts.flatMap((attempt): Traced[] => {
    if (attempt.what === 'network') return networkAttempt(attempt, network);
    const found = looked.found[at.get(attempt.path) ?? -1];
    if (found === undefined || isPlainlyReal(attempt, found, copied)) return [];
    const answer = pathAnswer({ path: attempt.path, found }, around);
    return isOfPolicy(attempt, answer) ? [{ ...attempt, ...answer, path: attempt.path, count: 1 }] : [];
  });
  return folded(met, around.home);
}

function networkAttempt({ what, path }: Attempt, network: NetworkPolicy): Traced[] {
  if (/^(?:127\.|\[::1\])/.test(path)) return [];
  const { verdict, reason, change } = hostAnswer(path, network);
  return verdict === 'refused' ? [{ what, path, verdict, reason, count: 1, change }] : [];
}

/** Most of thousands are files that are there and are read, or that are absent outside too: nothing is asked about them. */
function isPlainlyReal({ what, path }: Attempt, found: FoundInside, copied: ReadonlySet<string>): boolean {
  if (what === 'connect' || copied.has(path)) return false;
  if (what === 'write') return found.write && found.filesystem !== 'overlay' && found.filesystem !== 'tmpfs';
  if (found.kind === 'absent' || found.kind === 'link') return kindOf(path) === 'absent';
  return found.read;
}

/** What is absent outside too, or may not be done there either, is no matter of the policy's. */
function isOfPolicy({ what }: Attempt, { verdict, aside, change }: Answer): boolean {
  if (verdict === 'hidden' || verdict === 'cut off') return true;
  if (what !== 'write') return verdict === 'copy';
  if (verdict === 'read-only') return change !== undefined;
  return (
    verdict === 'put aside' || verdict === 'copy' || (verdict === 'absent' && (change !== undefined || aside === true))
  );
}

function folded(met: readonly Traced[], home: string | undefined): Traced[] {
  const groups = new Map<string, Traced[]>();
  for (const one of met) {
    const aside = one.verdict === 'put aside' || (one.verdict === 'absent' && one.change === undefined);
    const path = aside ? folderOf(one.path, home) : one.path;
    const key = JSON.stringify([one.what, aside ? 'put aside' : one.verdict, aside ? '' : one.reason, path]);
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups].map(([key, group]) => {
    const [, verdict, , path] = JSON.parse(key) as [string, string, string, string];
    const first = group[0] as Traced;
    const shown = shortened(path, home);
    return verdict === 'put aside'
      ? {
          what: first.what,
          verdict,
          path: shown,
          reason: 'what is written there is put aside',
          count: group.length,
          change: {
            effect: 'to keep it',
            flag: `--write ${shellWord(shown)}`,
            profile: `"filesystem": { "write": [${JSON.stringify(shown)}] }`,
          },
        }
      : { ...first, path: shown, count: group.length };
  });
}

/** In a home the folder of the program that writes: `~/.npm`, `~/.cache/pip`; elsewhere the first. */
function folderOf(path: string, home: string | undefined): string {
  if (home === undefined || !isWithin(path, home)) return `/${path.split('/')[1] ?? ''}`;
  const [first = '', second] = path.slice(home.length + 1).split('/');
  const isShared = ['.cache', '.config'].includes(first) && second !== undefined;
  return `${home}/${isShared ? `${first}/${second}` : first}`;
}

/** A profile that lets all of it happen, credentials left to whoever reads it. As TOML, where comments can stand. */
export function profileOf(list: readonly Traced[]): string {
  const values = (word: string, isSecret: boolean) =>
    list.filter(
      ({ change }) => change?.flag.startsWith(`--${word} `) === true && (change.gives !== undefined) === isSecret,
    );
  const lines = (word: string) =>
    values(word, false).map(({ path, reason }) => `  ${JSON.stringify(path)}, # ${reason}`);
  const secrets = values('expose', true).map(
    ({ path, reason, change }) => `  # ${JSON.stringify(path)}, # ${reason}: gives away ${change?.gives}`,
  );
  const section = (word: string, inside: readonly string[]) =>
    inside.length === 0 ? [] : [`${word} = [`, ...new Set(inside), ']'];
  return [
    '# What a traced command needed. Credentials are commented out: take the # away only from what it really is to have.',
    '[environment]',
    'base = "os-common"',
    'allow_vars = ["@terminal"]',
    '',
    '[filesystem]',
    ...section('read', lines('read')),
    ...section('write', lines('write')),
    ...section('expose', [...lines('expose'), ...secrets]),
    '',
  ].join('\n');
}
