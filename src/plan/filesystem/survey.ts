import type { FilesystemPolicy } from '../../policy/policy.ts';
import type { StartupPolicy } from '../startup/index.ts';
import { Collection } from './collect.ts';
import { hideEnvFiles } from './env-files.ts';
import type { FsFacts } from './facts.ts';
import { freezeGitPointers, freezeRepositoryHooks } from './git.ts';
import { groundOf } from './ground.ts';
import {
  freezeSearchPath,
  freezeStartupPlaces,
  hideCredentials,
  hideSystemPlaces,
  replaceRuntimeFolder,
} from './home.ts';
import { chooseBlank, coverOtherNames } from './masks.ts';
import { type Mount, otherProcMounts, parseMounts } from './mounts.ts';
import { guardOwnFolders } from './own.ts';
import { applyPolicy, openWorkspace } from './requests.ts';
import { hideOpenConnections } from './ssh.ts';
import { cleanStartupFiles } from './startup.ts';
import type { FsSurvey } from './types.ts';

/** Parts of /proc that root could steer the machine with. For others they are closed anyway, and covering them would keep nested sandboxes from mounting a /proc of their own. */
const PROC_FOR_ROOT = ['/proc/sys', '/proc/sysrq-trigger', '/proc/fs', '/proc/acpi', '/proc/scsi'];

/** Looks at the disk; nothing else in this folder does. */
export function surveyFilesystem(policy: FilesystemPolicy, facts: FsFacts, startup?: StartupPolicy): FsSurvey {
  const into = new Collection(facts);
  const workspace = into.disk.existing(facts.workspace)?.path ?? facts.workspace;
  const mounts = parseMounts(into.disk.read('/proc/self/mountinfo') ?? '');
  coverOtherProcs(into, mounts);
  guardOwnFolders(into);
  if (policy.preset !== 'all') applyGuards(into, workspace);
  const cleaned = policy.preset === 'all' || startup === undefined ? [] : cleanStartupFiles(into, workspace, startup);
  openWorkspace(into, policy);
  applyPolicy(into, policy);
  coverOtherNames(into, mounts);
  const blank = chooseBlank(into);
  return {
    ground: groundOf(into, policy),
    procReadOnly: facts.uid === 0 ? PROC_FOR_ROOT.filter((path) => into.disk.stat(path) !== undefined) : [],
    sys: into.disk.stat('/sys') !== undefined,
    covers: into.covers,
    renamable: into.renamable(new Set(mounts.map(({ point }) => point))),
    placeholders: [...into.placeholders.values()],
    blank,
    workspace,
    expect: [...into.expect.values()].filter(({ path }) => !into.placeholders.has(path)),
    startup: cleaned,
    notes: [...into.notes],
  };
}

function applyGuards(into: Collection, workspace: string): void {
  hideCredentials(into);
  hideSystemPlaces(into);
  hideOpenConnections(into);
  replaceRuntimeFolder(into);
  hideEnvFiles(into, workspace);
  freezeStartupPlaces(into);
  freezeSearchPath(into, workspace);
  freezeGitPointers(into);
  freezeRepositoryHooks(into, workspace);
}

function coverOtherProcs(into: Collection, mounts: readonly Mount[]): void {
  for (const path of otherProcMounts(mounts)) {
    into.cover(path, { access: 'hidden', speaker: 'cordon', why: 'another view of the processes outside' });
  }
}
