import { realpathSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { WORKING_FOLDER } from '../plan/backends/bubblewrap.ts';
import { type FsFacts, type FsPlan, factsOf, mountArguments, surveyFilesystem } from '../plan/filesystem/index.ts';
import { isWithin } from '../plan/filesystem/paths.ts';
import { namespaceArguments, processNamespaceArguments } from '../plan/plan.ts';
import type { FilesystemPolicy } from '../policy/policy.ts';
import type { Workshop } from './workshop.ts';

export interface ShimFilesystem extends Pick<FsPlan, 'sandbox' | 'placeholders' | 'expect' | 'notes'> {
  /** The tool isn't started in a folder that is one of these or lies above it. */
  readonly notAbove: readonly string[];
  readonly notWithin: readonly string[];
}

/** Stands for the working folder while the disk is looked at: a shim is written once and started anywhere. */
const ANYWHERE = '/.cordon-working-folder';

/** Everything bubblewrap is told, with the working folder left open. Cordon's own folders are there, or there would be no shim. */
export function shimFilesystem(policy: FilesystemPolicy, { env, homes, machine, ...places }: Workshop): ShimFilesystem {
  const folders = { config: dirname(places.config), bin: places.bin, state: places.state };
  const facts = { ...factsOf(env, ANYWHERE), ...homes, folders };
  const plan = mountArguments(surveyFilesystem(policy, facts));
  const namespaces = policy.explicit ? namespaceArguments(machine, { off: false }) : processNamespaceArguments(machine);
  const opened = inFolder(plan, policy, facts);
  return {
    sandbox: [...namespaces, ...opened.sandbox, ['--chdir', WORKING_FOLDER]],
    placeholders: opened.placeholders.filter(({ path }) => !Object.values(folders).includes(path)),
    expect: plan.expect.filter(({ path }) => !isWithin(path, ANYWHERE)),
    notes: plan.notes.filter((note) => !note.includes(ANYWHERE)),
    ...(policy.preset === 'workspace' ? unfitFolders(facts) : { notAbove: [], notWithin: [] }),
  };
}

/** Showing these as the working folder would show what the preset keeps away, or let the tool write its own policy. */
function unfitFolders({ home, passwdHome, folders }: FsFacts): Pick<ShimFilesystem, 'notAbove' | 'notWithin'> {
  const real = (paths: readonly (string | undefined)[]) => [
    ...new Set(paths.filter((path) => path !== undefined).map(realOf)),
  ];
  const own = [folders.config, folders.bin, folders.state];
  return { notAbove: real(['/usr', home, passwdHome, ...own]), notWithin: real(['/proc', '/dev', '/sys', ...own]) };
}

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

type Mounts = Pick<FsPlan, 'sandbox' | 'placeholders'>;

function inFolder(plan: FsPlan, policy: FilesystemPolicy, facts: FsFacts): Mounts {
  const sandbox = plan.sandbox.filter((fields) => !fields.includes(ANYWHERE));
  const mounts = beforeSealing({ sandbox, placeholders: plan.placeholders }, frozenInstead(plan), []);
  if (policy.preset === 'workspace') return withWorkspace(mounts, policy, facts);
  return policy.preset === 'minimal' ? beforeSealing(mounts, [['--dir', WORKING_FOLDER]], []) : mounts;
}

/** A cleaned copy of a file is handed to the launcher with its text, which has no place in a file that lies around: here it is only frozen. */
function frozenInstead({ data = [] }: FsPlan): string[][] {
  return data.map(({ path }) => ['--ro-bind', path, path]);
}

/** The working folder is laid over the private home, and over it again everything in it that must not be seen or is said by name. */
function withWorkspace(mounts: Mounts, policy: FilesystemPolicy, facts: FsFacts): Mounts {
  const masks = masksInHomes(policy, facts);
  const sandbox = [
    ['--bind', WORKING_FOLDER, WORKING_FOLDER],
    ...masks.sandbox,
    ...policy.read.map((path) => ['--ro-bind-try', path, path]),
    ...policy.write.map((path) => ['--bind-try', path, path]),
  ];
  return beforeSealing(mounts, sandbox, masks.placeholders);
}

function beforeSealing(mounts: Mounts, more: Mounts['sandbox'], placeholders: Mounts['placeholders']): Mounts {
  const isSealing = (fields: readonly string[]) => fields[0] === '--remount-ro';
  const before = mounts.sandbox.filter((fields) => !isSealing(fields));
  const known = new Set(mounts.placeholders.map(({ path }) => path));
  return {
    sandbox: [...before, ...more, ...mounts.sandbox.filter(isSealing)],
    placeholders: [...mounts.placeholders, ...placeholders.filter(({ path }) => !known.has(path))],
  };
}

/** What `guarded` hides in the homes. The working folder's own .env files stay, as they do for `cordon run`. */
function masksInHomes(policy: FilesystemPolicy, facts: FsFacts): Mounts {
  const guarded = mountArguments(surveyFilesystem({ ...policy, preset: 'guarded' }, facts));
  const homes = [facts.home, facts.passwdHome].filter((home) => home !== undefined).map(realOf);
  const inHome = guarded.hidden.map(({ path }) => path).filter((path) => homes.some((home) => isWithin(path, home)));
  const named = policy.hide.map(realOf);
  const hidden = new Set(
    [...inHome, ...named].filter((path) => !basename(path).startsWith('.env') || named.includes(path)),
  );
  const isMask = (fields: readonly string[]) => fields.includes('--tmpfs') || fields[0] === '--ro-bind';
  const sandbox = guarded.sandbox.filter((fields) => isMask(fields) && hidden.has(fields.at(-1) ?? ''));
  const used = new Set(sandbox.flat());
  return { sandbox, placeholders: guarded.placeholders.filter(({ path }) => used.has(path)) };
}
