import { isHiddenFile } from './masks.ts';
import { foldersAbove, isWithin } from './paths.ts';
import { inOrder, type Layout, layOut } from './regions.ts';
import type { Cover, FsPlan, FsSurvey, Placeholder, Reasoned } from './types.ts';

/**
 * Bubblewrap's mount arguments. The order is what protects: the root first, then /dev and the private /proc over it,
 * then everything else from the outside in, since a later mount covers an earlier one below it.
 */
export function mountArguments(survey: FsSurvey): FsPlan {
  const layout = layOut(survey);
  const pins = pinned(survey, layout);
  const steps = inOrder<Cover | Pin>([...layout.covers, ...pins]);
  return {
    sandbox: [
      ...survey.ground,
      ['--dev', '/dev'],
      ['--proc', '/proc'],
      ...survey.procReadOnly.map((path) => ['--ro-bind', path, path]),
      ...(survey.sys ? [['--ro-bind', '/sys', '/sys']] : []),
      ...steps.flatMap((step) =>
        'access' in step ? coverArguments(step, survey.blank) : [['--bind', step.path, step.path]],
      ),
      ...workspaceArguments(survey, layout),
      ...layout.covers.filter(isSealedFolder).map(({ path }) => ['--remount-ro', path]),
      ...(isBuilt(survey) ? [['--remount-ro', '/']] : []),
    ],
    placeholders: neededPlaceholders(survey, layout, pins),
    expect: survey.expect,
    hidden: reasoned(layout.covers, ['hidden', 'private']),
    frozen: reasoned(layout.covers, ['readonly', 'cleaned']),
    data: layout.covers.flatMap(({ path, text }) => (text === undefined ? [] : [{ path, text }])),
    startup: (survey.startup ?? []).filter(({ path }) =>
      layout.covers.some((one) => one.path === path && isHeldBack(one)),
    ),
    notes: [...survey.notes, ...layoutNotes(survey, layout)],
  };
}

/** A folder bound onto itself: a mount point can't be renamed, so nothing can be put in the place of what lies below. */
interface Pin {
  readonly path: string;
}

function pinned({ renamable }: FsSurvey, { covers, regionAt }: Layout): Pin[] {
  const mounted = new Set(covers.map(({ path }) => path));
  const guarded = covers.filter(({ access }) => access !== 'private' && access !== 'writable');
  const above = new Set(guarded.flatMap(({ path }) => foldersAbove(path)));
  return [...above]
    .filter((path) => renamable.has(path) && !mounted.has(path) && regionAt(path) === 'host')
    .map((path) => ({ path }));
}

/**
 * Mode 0555 is read-only enough for an empty folder that only the command sees, and costs bubblewrap far less than a read-only mount.
 * What is cleaned is handed over as data, after all mounts.
 */
function coverArguments(cover: Cover, blank: string): string[][] {
  const { path, access, kind, source = path } = cover;
  if (access === 'cleaned') return [];
  if (access === 'private') return [['--perms', '0700', '--tmpfs', path]];
  if (access === 'hidden' && kind !== 'dir') return [['--ro-bind', blank, path]];
  if (isSealedFolder(cover)) return [['--tmpfs', path]];
  if (access === 'hidden' || cover.empty) return [['--perms', '0555', '--tmpfs', path]];
  if (isWithin(path, '/dev')) return [['--dev-bind', source, path]];
  return [[access === 'readonly' ? '--ro-bind' : '--bind', source, path]];
}

function isHeldBack({ access }: Cover): boolean {
  return access === 'hidden' || access === 'cleaned';
}

function isSealedFolder({ access, speaker, kind }: Cover): boolean {
  return access === 'hidden' && speaker === 'cordon' && kind === 'dir';
}

/** The command must have a folder to start in, be it an empty one. */
function workspaceArguments({ workspace }: FsSurvey, layout: Layout): string[][] {
  return isEmptyThere(layout, workspace) ? [['--dir', workspace]] : [];
}

function isEmptyThere({ regionAt, covers }: Layout, path: string): boolean {
  const region = regionAt(path);
  return (
    region === 'hidden' || region === 'sealed' || (region === 'void' && !covers.some((cover) => cover.path === path))
  );
}

function isBuilt({ ground }: FsSurvey): boolean {
  return !ground.some(([, , target]) => target === '/');
}

function neededPlaceholders(
  { placeholders, blank }: FsSurvey,
  { covers }: Layout,
  pins: readonly Pin[],
): Placeholder[] {
  const wanted = [...covers, ...pins].map(({ path }) => path);
  if (covers.some(isHiddenFile)) wanted.push(blank);
  return inOrder(placeholders.filter(({ path }) => wanted.some((one) => isWithin(one, path))));
}

function reasoned(covers: readonly Cover[], accesses: readonly string[]): Reasoned[] {
  return covers.filter(({ access }) => accesses.includes(access)).map(({ path, why }) => ({ path, why }));
}

function layoutNotes({ workspace }: FsSurvey, layout: Layout): string[] {
  const region = layout.regionAt(workspace);
  const denied = layout.refused.filter(
    ({ speaker, path }) => speaker === 'policy' && layout.regionAt(path) === 'sealed',
  );
  return [
    ...(isEmptyThere(layout, workspace)
      ? [
          `the working folder ${workspace} is ${region === 'void' ? 'not in the sandbox' : 'hidden'}: the command starts in an empty folder there`,
        ]
      : []),
    ...(region === 'frozen'
      ? [
          `the working folder ${workspace} is read-only, since code or commands are taken from it outside; expose it to write there`,
        ]
      : []),
    ...denied.map(({ path }) => `${path} is Cordon's own and stays as it is, whatever the policy says`),
  ];
}
