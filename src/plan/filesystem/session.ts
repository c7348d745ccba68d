import type { FilesystemPolicy } from '../../policy/policy.ts';
import { mountArguments } from './arguments.ts';
import type { FsFacts } from './facts.ts';
import { surveyFilesystem } from './survey.ts';
import type { FsPlan } from './types.ts';

/** What the folders of a session are called inside. */
export const INSIDE = { workspace: '/workspace', skills: '/skills' } as const;

export interface SessionFolders {
  readonly workspace: string;
  /** By the name of the folder below /skills. */
  readonly skills: ReadonlyMap<string, string>;
  /** Bytes of the private /tmp, and of shared memory. */
  readonly temporary: number;
  /** A file that stands in for /etc/hosts. */
  readonly hosts?: string | undefined;
}

/** F3: the system read-only, a private /tmp that has an end, the workspace writable, the skills read-only, and what the policy adds by name. */
export function sessionFilesystem(policy: FilesystemPolicy, facts: FsFacts, folders: SessionFolders): FsPlan {
  const plan = mountArguments(
    surveyFilesystem({ ...policy, preset: 'minimal' }, { ...facts, workspace: INSIDE.workspace }),
  );
  const sandbox = plan.sandbox.filter(([option, path]) => !(option === '--ro-bind' && path === '/sys'));
  const root = sandbox.findIndex(([option, path]) => option === '--remount-ro' && path === '/');
  return {
    ...plan,
    sandbox: [
      ...sandbox.slice(0, root).map((step) => bounded(step, folders.temporary)),
      ...sharedMemory(folders.temporary),
      ...ownFolders(folders),
      ['--remount-ro', '/'],
    ],
    notes: plan.notes.filter((note) => !note.includes(INSIDE.workspace)),
  };
}

const SCRATCH = ['/tmp', '/var/tmp', '/run'];
const SMALL = 1 << 20;

/** Memory that a call fills is memory of the machine. One folder for what is temporary, so that there is one end to it. */
function bounded(step: readonly string[], temporary: number): readonly string[] {
  const path = step.at(-1) as string;
  if (!step.includes('--tmpfs') || !SCRATCH.includes(path)) return step;
  if (path === '/var/tmp') return ['--symlink', '../tmp', path];
  return ['--size', String(path === '/tmp' ? temporary : SMALL), ...step];
}

/** Bubblewrap's /dev is memory too. */
function sharedMemory(temporary: number): string[][] {
  return [
    ['--size', String(temporary), '--perms', '1777', '--tmpfs', '/dev/shm'],
    ['--remount-ro', '/dev'],
  ];
}

function ownFolders({ workspace, skills, hosts }: SessionFolders): string[][] {
  return [
    ['--bind', workspace, INSIDE.workspace],
    ['--dir', INSIDE.skills],
    ...[...skills].map(([name, folder]) => ['--ro-bind', folder, `${INSIDE.skills}/${name}`]),
    ...(hosts === undefined ? [] : [['--ro-bind', hosts, '/etc/hosts']]),
  ];
}
