import { isWithin } from '../../host/folders.ts';
import type { FilesystemPolicy } from '../../policy/policy.ts';
import { type ComposerFacts, hiddenByPolicy, hides, keepOperations, namedByPolicy } from './compose.ts';
import { isWithinPattern, literally, type Path, pathOf, plainOf } from './facts.ts';
import type { Operation } from './operation.ts';
import { builtRoot } from './system.ts';

/** What the folders of a session are called inside. */
export const INSIDE = { workspace: '/workspace', skills: '/skills' } as const;

export interface SessionFolders {
  readonly workspace: string;
  /** By the name of the folder below /skills. */
  readonly skills: ReadonlyMap<string, string>;
  /** Bytes of the private /tmp, and of shared memory. */
  readonly temporary: number;
}

const SMALL = 1 << 20;

/**
 * The system read-only, a private /tmp that has an end, the workspace writable, the skills read-only, and what the policy adds by
 * name. Memory that a call fills is memory of the machine: one folder for what is temporary, so that there is one end to it.
 */
export function sessionPlaces(policy: FilesystemPolicy, facts: ComposerFacts, folders: SessionFolders): Operation[] {
  const { temporary } = folders;
  const added = namedByPolicy({ ...policy, preset: 'minimal' }, facts);
  return [
    ...builtRoot(facts.links),
    { kind: 'private', path: at('/tmp'), mode: '1777', bytes: temporary },
    { kind: 'link', path: at('/var/tmp'), text: '../tmp' },
    { kind: 'private', path: at('/run'), mode: '0755', bytes: SMALL },
    { kind: 'try-read', path: literally(at('/run/current-system')) },
    { kind: 'workspace', path: at(folders.workspace), mode: 'real' },
    { kind: 'workspace-at', path: at(INSIDE.workspace) },
    { kind: 'folder', path: at(INSIDE.skills) },
    ...[...folders.skills].map(
      ([name, folder]) => ({ kind: 'read', path: at(folder), target: at(`${INSIDE.skills}/${name}`) }) as const,
    ),
    ...added,
    ...relevantHides(policy, facts, [
      ...[folders.workspace, ...folders.skills.values()].map(at),
      ...added.flatMap((one) => (one.kind === 'try-read' ? (plainOf(one.path) ?? []) : one.path)),
    ]),
    ...keepOperations(facts.own),
    { kind: 'proc' },
    { kind: 'dev', bytes: temporary },
    { kind: 'chdir', path: at(INSIDE.workspace) },
  ];
}

/** Every call carries its plan, so what lies nowhere near the folders that are shown is left out of it. */
function relevantHides(policy: FilesystemPolicy, facts: ComposerFacts, shown: readonly Path[]): Operation[] {
  return [...hides(policy, facts), ...hiddenByPolicy(policy)].flatMap((group) => {
    const paths = group.paths.filter((path) =>
      shown.some((one) => isWithin(path, literally(one)) || isWithinPattern(one, path)),
    );
    return paths.length === 0 ? [] : [{ ...group, paths }];
  });
}

function at(text: string): Path {
  const path = pathOf(text);
  if (path === undefined) throw new TypeError('a folder of a session has an absolute path');
  return path;
}
